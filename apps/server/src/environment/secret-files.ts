import { readTextFile } from './read-file.ts'
import type { Variables } from './variables.ts'

/** Variables that hold secrets. Each can be read from the file that the variable `NAME_FILE` names. */
export const secretVariables = [
  'DATABASE_URL',
  'CLICKHOUSE_URL',
  'SLUICE_SECRET',
  'SLUICE_SECRET_NEXT',
  'INITIAL_ROOT_PASSWORD',
  'INITIAL_ROOT_ACCESS_TOKEN',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'RESULTS_S3_ACCESS_KEY_ID',
  'RESULTS_S3_SECRET_ACCESS_KEY',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'ALL_PROXY',
] as const

/** More than any secret needs. */
const secretBytesMax = 64 * 1024

/** The variables, with the secrets that are in files. What is wrong is added to the problems, without the content of a file. */
export function withSecretFiles(variables: Variables, problems: string[]): Variables {
  const fromFiles = secretVariables.flatMap((name) => {
    const path = variables[`${name}_FILE`]?.trim() ?? ''
    if (path === '') return []
    const result = (variables[name]?.trim() ?? '') === '' ? readSecret(path) : { reason: null }
    if ('value' in result) return [[name, result.value] as const]
    problems.push(
      result.reason === null
        ? `${name} and ${name}_FILE are both set; set one of them`
        : `${name}_FILE names ${path}, which ${result.reason}`,
    )
    return []
  })
  return fromFiles.length === 0 ? variables : { ...variables, ...Object.fromEntries(fromFiles) }
}

function readSecret(path: string): { readonly value: string } | { readonly reason: string } {
  const file = readTextFile(path, secretBytesMax)
  if ('reason' in file) return file
  const value = file.text.trim()
  if (value === '') return { reason: 'is empty' }
  return /[\r\n]/.test(value) ? { reason: 'has several lines; it must contain the value only' } : { value }
}
