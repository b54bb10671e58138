import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
/** Scripts that run for minutes, or until they are stopped. */
const names = ['attack', 'bench', 'build', 'dev', 'linear', 'mutate', 'soak']

const run = (name: string, ...words: readonly string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['node', `scripts/${name}.mjs`, ...words], { cwd: root, stderr: 'pipe' })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

test.each(names)('npm run %s -- --help says how it is called, and runs nothing', (name) => {
  for (const word of ['--help', '-h'])
    expect(run(name, word)).toEqual({ exitCode: 0, stdout: expect.stringContaining(`Usage: npm run ${name}`), stderr: '' })
})

test.each(['bench', 'build', 'dev', 'soak'])('npm run %s with an unknown word says how it is called, and runs nothing', (name) => {
  for (const words of [['--quik'], ['nods'], ['5', 'x']]) {
    const { exitCode, stdout, stderr } = run(name, ...words)
    expect([words, exitCode, stdout]).toEqual([words, 1, ''])
    expect(stderr).toContain(`Usage: npm run ${name}`)
  }
})

test.each(['all', 'check', 'e2e', 'docs'])('npm test and its parts say how they are called, and run nothing: %s', (group) => {
  for (const word of ['--help', '-h'])
    expect(run('test', group, word)).toEqual({ exitCode: 0, stdout: expect.stringContaining('Usage: npm test'), stderr: '' })
  for (const word of ['apps/server', 'toString', '--watch']) {
    const { exitCode, stdout, stderr } = run('test', group, word)
    expect([word, exitCode, stdout]).toEqual([word, 1, ''])
    expect(stderr).toContain('Usage: npm test')
  }
})
