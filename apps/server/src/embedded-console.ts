declare global {
  var sluiceConsoleFiles: Readonly<Record<string, string>> | undefined
}

/** The console's files inside the single executable: url path -> path that `Bun.file` reads. `null`: this is no such executable. */
export function embeddedConsole(): Readonly<Record<string, string>> | null {
  return globalThis.sluiceConsoleFiles ?? null
}
