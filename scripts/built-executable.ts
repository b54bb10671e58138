import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const executable = join(root, process.platform === 'win32' ? 'dist/sluice.exe' : 'dist/sluice')

let built: Promise<string> | null = null

/** Builds the executable as `npm run build` does, once for all tests of a run. @returns its path */
export function builtExecutable(): Promise<string> {
  built ??= build()
  return built
}

async function build(): Promise<string> {
  const { exited } = Bun.spawn(['node', 'scripts/build.mjs'], { cwd: root, stdout: 'ignore', stderr: 'inherit' })
  if ((await exited) !== 0) throw new Error('the executable could not be built')
  return executable
}
