/** Whether a module's folder is inside the single executable, whose arguments begin directly after its name. */
export function isInsideExecutable(folder: string): boolean {
  return folder.startsWith('/$bunfs/')
}
