@rem As lead-signals, for cmd.exe and PowerShell; it does not follow a symbolic link to itself.
@setlocal
@call :find_folder
@node "%folder%scripts\run.mjs" scripts/lead-signals.mjs %*
@exit /b %errorlevel%

@rem Outside of a subroutine, a call by a quoted name that PATH resolves has the current folder here.
:find_folder
@set "folder=%~dp0"
@exit /b
