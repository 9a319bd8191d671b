"""How the page looks."""

STYLE = """
*{box-sizing:border-box}
body{margin:0;background:#313338;color:#dbdee1;font:16px/1.375 "gg sans","Noto Sans","DejaVu Sans",
"Liberation Sans",Arial,"Noto Color Emoji",sans-serif}
main{padding:0 0 16px;background:#313338}
header{padding:12px 16px;border-bottom:1px solid #26282c;color:#f2f3f5;font-weight:600}
header b{color:#80848e;margin-right:4px}
i{font-style:normal}
a{color:#00a8fc;text-decoration:none}
.message{padding:2px 16px;margin-top:16px}
.message.follows{margin-top:0}
.ephemeral{background:rgba(88,101,242,.08);box-shadow:inset 2px 0 0 #5865f2}
.row{display:flex}
.left{flex:0 0 56px}
.body{flex:1;min-width:0}
.avatar{width:40px;height:40px;border-radius:50%;color:#fff;font-weight:600;text-align:center;
line-height:40px}
.small{display:inline-block;width:16px;height:16px;border-radius:50%;color:#fff;font-size:10px;
line-height:16px;text-align:center;margin-right:4px;vertical-align:-2px}
.above{margin:0 0 4px 19px;font-size:14px;color:#b5bac1;white-space:nowrap;overflow:hidden;
text-overflow:ellipsis;position:relative}
.above::before{content:"";display:inline-block;width:30px;height:9px;margin:0 7px 0 0;
border:2px solid #4e5058;border-right:0;border-bottom:0;border-top-left-radius:6px;
vertical-align:-4px}
.above b{color:#dbdee1;font-weight:500}
.head b{font-weight:500;margin-right:6px}
.head time{color:#949ba4;font-size:12px;margin-left:4px}
.tag{background:#5865f2;color:#fff;border-radius:4px;font-size:10px;font-weight:600;padding:1px 5px;
margin-right:4px;vertical-align:2px}
.text{overflow-wrap:anywhere}
.text p{margin:0}
.text h1,.text h2,.text h3{margin:8px 0 4px;color:#f2f3f5;line-height:1.3}
.text h1{font-size:24px}
.text h2{font-size:20px}
.text h3{font-size:16px}
.text small{display:block;color:#949ba4;font-size:13px}
.text blockquote{margin:2px 0;padding-left:12px;border-left:4px solid #4e5058;border-radius:4px}
.item{display:flex;gap:8px;margin-left:calc(8px + var(--depth)*20px)}
.item>span{flex:none}
code{background:#2b2d31;border-radius:4px;padding:2px 4px;font:14px/1.3 "DejaVu Sans Mono",
"Noto Sans Mono",Consolas,monospace}
pre{margin:6px 0;max-width:90%}
pre code{display:block;padding:8px;border:1px solid #1e1f22;white-space:pre-wrap;
overflow-wrap:anywhere}
.mention{background:rgba(88,101,242,.3);color:#c9cdfb;border-radius:3px;padding:0 2px;
font-weight:500}
.spoiler{background:#4e5058;color:transparent;border-radius:4px}
.edited{color:#949ba4;font-size:11px;margin-left:4px}
.thinking{color:#949ba4;font-style:italic}
.text p:has(+.edited){display:inline}
.file{display:inline-flex;align-items:center;gap:10px;margin:6px 8px 2px 0;padding:12px 16px;
min-width:300px;border:1px solid #232428;border-radius:8px;background:#2b2d31}
.file i{font-size:26px}
.file small{display:block;color:#949ba4;font-size:12px}
.picture{display:block;max-width:400px;max-height:300px;margin:6px 0;border-radius:8px}
.voice{display:inline-flex;gap:10px;align-items:center;margin:6px 0;padding:8px 14px;
border-radius:20px;background:#2b2d31}
.voice i{color:#5865f2}
.components{display:flex;flex-wrap:wrap;gap:8px;margin-top:6px}
.button{border-radius:8px;padding:5px 14px;font-size:14px;font-weight:500;color:#fff;
line-height:20px}
.primary{background:#5865f2}
.secondary,.link{background:#4e5058}
.success{background:#248046}
.danger{background:#da373c}
.disabled{opacity:.5}
.select{flex:0 0 400px;display:flex;justify-content:space-between;padding:9px 12px;
border:1px solid #1e1f22;border-radius:8px;background:#1e1f22;color:#949ba4}
.select.chosen{color:#dbdee1}
.reactions{margin-top:4px}
.reaction{display:inline-block;margin-right:4px;padding:2px 8px;border:1px solid #2b2d31;
border-radius:8px;background:#2b2d31;font-size:14px}
.reaction b{color:#b5bac1;margin-left:2px}
.reaction.own{background:#373a53;border-color:#5865f2}
.thread{display:inline-block;margin-top:6px;padding:8px 12px;border-radius:6px;background:#2b2d31;
font-size:14px}
.thread i{color:#00a8fc;margin-left:8px}
.note{margin-top:4px;color:#949ba4;font-size:12px}
.note u{color:#00a8fc;text-decoration:none}
.system{display:flex;gap:8px;margin-top:16px;padding:2px 16px 2px 34px;color:#949ba4}
.system b{color:#f2f3f5;font-weight:500}
"""
