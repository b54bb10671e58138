import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { isInsideExecutable } from '../lib/inside-executable.ts'
import { readTextFile } from './read-file.ts'

/** More than all variables of a machine need. */
const envFileBytesMax = 1024 * 1024

/** A file of variables. */
interface EnvFile {
  readonly path: string
  readonly variables: Readonly<Record<string, string>>
}

/** The option of the command line that names a file of variables, in front of the command or behind it. */
const option = '--env-file'

/**
 * Takes `--env-file PATH` or `--env-file=PATH` from the arguments.
 * @returns the path, `null` = there is no such option, and the other arguments
 */
export function takeEnvFileOption(args: readonly string[]): { readonly path: string | null; readonly rest: readonly string[] } {
  const at = args.slice(0, 2).findIndex((argument) => argument === option || argument.startsWith(`${option}=`))
  const argument = args[at]
  if (argument === undefined) return { path: null, rest: args }
  const isOneArgument = argument !== option
  const path = isOneArgument ? argument.slice(option.length + 1) : (args[at + 1] ?? '')
  return { path, rest: args.toSpliced(at, isOneArgument ? 1 : 2) }
}

/**
 * Reads the named file of variables, or else `.env` in the root of the repository if the program runs from it. The working folder plays no
 * part: it may be the folder of another program. @returns `null` = there is none
 */
export function readEnvFile(named: string | null, problems: string[]): EnvFile | null {
  const path = named ?? ownEnvFile()
  if (path === null) return null
  const file: ReturnType<typeof readTextFile> = path === '' ? { reason: 'does not exist' } : readTextFile(path, envFileBytesMax)
  if ('reason' in file) {
    problems.push(named === null ? `${path} ${file.reason}` : `${option} names "${path}", which ${file.reason}`)
    return null
  }
  const parsed = Object.entries(parseEnv(file.text)).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { path, variables: Object.fromEntries(parsed) }
}

function ownEnvFile(): string | null {
  if (isInsideExecutable(import.meta.dir)) return null
  const path = join(rootOf(import.meta.dir), '.env')
  return existsSync(path) ? path : null
}

/** The root of the repository: the sources and the bundle of `npm start` are both in a folder of `apps/server`. */
function rootOf(folder: string): string {
  const at = folder.replaceAll('\\', '/').lastIndexOf('/apps/server/')
  return at === -1 ? folder : folder.slice(0, at)
}
