@rem The scripts of package.json begin with `exec`, so that no shell stays between npm and Node to swallow signals. cmd.exe has none.
@%*
