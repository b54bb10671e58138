/** Whether a module's folder is inside the single executable, whose arguments begin directly after its name. */
export function isInsideExecutable(folder: string): boolean {
  return folder.startsWith('/$bunfs/')
}

/** How the commands for operators are called where this program runs: by the executable, or in a clone. */
export const adminCommand = isInsideExecutable(import.meta.dir) ? 'sluice admin' : 'npm run admin --'

/** The command by which this program was started, with all its arguments. */
export function ownCommand(): readonly [string, ...string[]] {
  const args = process.argv.slice(isInsideExecutable(import.meta.dir) ? 2 : 1)
  return [process.execPath, ...process.execArgv, ...args]
}
