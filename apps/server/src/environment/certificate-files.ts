import { X509Certificate } from 'node:crypto'
import { readNamedFile } from './read-file.ts'
import type { ReadText } from './variables.ts'

/** Variables that Bun reads at its start; each names a file of certificate authorities in PEM form. */
export const certificateVariables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const

/** The authorities of all browsers together have about 250 KiB. */
const bytesMax = 16 * 1024 * 1024

/** Bun ignores files that it cannot use, and connections would fail later. */
export function checkCertificateFiles(text: ReadText, problems: string[]): void {
  for (const name of certificateVariables) {
    const path = text(name)
    const reason = path === '' ? null : reasonAgainst(path)
    if (reason !== null) problems.push(`${name} names ${path}, which ${reason}`)
  }
}

function reasonAgainst(path: string): string | null {
  const file = readNamedFile(path, bytesMax)
  if ('reason' in file) return file.reason
  // Comments between the certificates may be in any encoding.
  return isReadable(file.bytes.toString('latin1')) ? null : 'contains no PEM certificate'
}

/** Whether there is a certificate, between whatever else the file has. */
function isReadable(text: string): boolean {
  try {
    return text.includes('-----BEGIN ') && new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}
