/** Whether a module's folder lies inside the single executable, where the program's own arguments begin after its name. */
export function isInsideExecutable(folder: string): boolean {
  return folder.startsWith('/$bunfs/')
}
