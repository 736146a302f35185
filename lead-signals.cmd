@rem As lead-signals, for cmd.exe and PowerShell.
@node "%~dp0scripts\run.mjs" scripts/lead-signals.mjs %*
