#!/bin/sh
# Tells how full the disks are and how busy the machine is: the dialect `stdio` in sh and awk alone.
# On each line of stdin and stdout stands one JSON object.
#
# Nothing that comes in is ever part of a command: awk takes a message apart, and what is wanted of
# it is compared, as it is written, with what is known.
LC_ALL=C
export LC_ALL

# Reads one message, and prints a line each: that it is JSON, its id, its method, and of its params
# the name and the arguments' unit, as they are written there. Prints nothing if it is not JSON.
take_apart='
function skip() { while (index(" \t\r\n", at()) && at() != "") place++ }
function at() { return substr(text, place, 1) }
function fail() { broken = 1; place = length(text) + 1 }
function value(path,    from) {
    skip(); from = place
    if (at() == "{") group(path, "}")
    else if (at() == "[") group(path, "]")
    else if (at() == "\"") string()
    else word()
    found[path] = substr(text, from, place - from)
    skip()
}
function group(path, end,    key, from) {
    place++; skip()
    if (at() == end) { place++; return }
    if (++depth > 100) fail()
    while (!broken) {
        key = "[]"
        if (end == "}") {
            from = place; string(); key = substr(text, from + 1, place - from - 2); skip()
            if (at() != ":") { fail(); return }
            place++
        }
        value(path "." key)
        if (at() == end) { place++; depth--; return }
        if (at() != ",") { fail(); return }
        place++; skip()
    }
}
function string() {
    if (at() != "\"") { fail(); return }
    for (place++; at() != "\"" && !broken; place++) {
        if (at() == "\\") place++
        if (at() == "") fail()
    }
    place++
}
function word(    from) {
    for (from = place; at() ~ /[-+.0-9A-Za-z]/; ) place++
    if (substr(text, from, place - from) !~ /^(true|false|null|-?[0-9][-+.0-9eE]*)$/) fail()
}
{
    text = $0; place = 1; value("")
    if (broken || place <= length(text)) exit
    print "JSON"; print found[".id"]; print found[".method"]
    print found[".params.name"]; print found[".params.arguments.unit"]
}'

# Prints all that comes in as one JSON string.
as_string='
{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, "\\t"); gsub(/[\001-\037\177-\377]/, "?") }
{ whole = whole (NR > 1 ? "\\n" : "") $0 }
END { printf "\"%s\"", whole }'

tools='[
{"name":"disk_free","description":"Tells how full the disks of this machine are.","input_schema":{"type":"object","properties":{"unit":{"enum":["human","bytes"]}},"additionalProperties":false}},
{"name":"load","description":"Tells how busy this machine is.","input_schema":{"type":"object","properties":{},"additionalProperties":false}}]'
tools=$(printf %s "$tools" | tr -d '\n')

result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
error() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "${id:-null}" "$1" "$2"; }

# Answers with what a command prints; what it complains of goes to the log of the host. It must not
# read: what comes on stdin is the host's.
result_of() {
    printed=$("$@" </dev/null)
    if [ -n "$printed" ]; then
        result "$(printf '%s\n' "$printed" | awk "$as_string")"
    else
        error -32603 "$1 says nothing"
    fi
}

use_tool() {
    case "$1 $2" in
        '"disk_free" ' | '"disk_free" "human"') result_of df -h ;;
        '"disk_free" "bytes"') result_of df -B1 ;;
        '"load" ') result_of cat /proc/loadavg ;;
        *) error -32602 'there is no such tool, or it does not take that' ;;
    esac
}

while IFS= read -r line; do
    message=$(printf '%s\n' "$line" | awk "$take_apart")
    { read -r is_json; read -r id; read -r method; read -r name; read -r unit; } <<EOF
$message
EOF
    [ -n "$is_json" ] || { error -32700 'this is not JSON'; continue; }
    [ "$method" != '"shutdown"' ] || exit 0
    [ -n "$id" ] && [ -n "$method" ] || continue # nobody waits for an answer
    case $method in
        '"initialize"') result "{\"server_version\":\"1.0.0\",\"tools\":$tools,\"hooks\":[]}" ;;
        '"tools/list"') result "{\"tools\":$tools}" ;;
        '"tools/call"') use_tool "$name" "$unit" ;;
        *) error -32601 'method not found' ;;
    esac
done
