-- What the Python packages that were installed for a plugin hashed to; NULL: there were none.
ALTER TABLE plugin_trust ADD COLUMN packages TEXT;
