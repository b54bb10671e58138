import { isPageAddress, status } from '@sluice/contract'
import { call } from './api.ts'
import { storage } from './storage.ts'
import { showNotice } from './toasts.ts'

/** Distinguishes contents (FNV-1a, 32 bits); `crypto.subtle` is missing on pages without TLS. */
function contentHash(text: string): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return `${text.length.toString(36)}-${(hash >>> 0).toString(36)}`
}

/** Shows the notice when a visit begins, once per content. A visit does not need it, so a failure is not reported. */
export async function showNewNotice(): Promise<void> {
  const notice = await call(status.notice, {}).catch(() => '')
  const hash = contentHash(notice)
  if (notice === '' || storage.readText('ui-notice') === hash) return
  storage.writeText('ui-notice', hash)
  showNotice(isPageAddress(notice) ? linkTo(notice) : notice)
}

function linkTo(address: string): string {
  const link = document.createElement('a')
  link.href = address
  link.textContent = address
  return link.outerHTML
}
