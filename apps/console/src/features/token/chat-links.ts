import { type StatusObject, withoutTrailingSlashes } from '@sluice/contract'

/** The chat client if no chat link is set. */
const defaultChat = 'https://app.nextchat.dev'

interface ChatTarget {
  /** `sk-` and the key. */
  readonly key: string
  /** The base URL for the client's requests. */
  readonly server: string
  /** The stored chat link; empty = the default chat. */
  readonly chat: string
}

export function chatTarget(key: string, status: Partial<StatusObject>, origin: string): ChatTarget {
  return { key: `sk-${key}`, server: withoutSlash(status.server_address || origin), chat: withoutSlash(status.chat_link || defaultChat) }
}

/** The links by which chat clients accept a key and a base URL. */
export const chatLinks = {
  next: ({ key, server, chat }: ChatTarget) => `${chat}/#/?settings=${encodeURIComponent(JSON.stringify({ key, url: server }))}`,
  ama: ({ key, server }: ChatTarget) => `ama://set-api-key?server=${encodeURIComponent(server)}&key=${encodeURIComponent(key)}`,
  opencat: ({ key, server }: ChatTarget) => `opencat://team/join?domain=${encodeURIComponent(server)}&token=${encodeURIComponent(key)}`,
} as const

export const chatFormats = ['next', 'ama', 'opencat'] as const

/** Removes a trailing `/` or `/#/`, with which a stored link may end. */
function withoutSlash(address: string): string {
  const shorter = withoutTrailingSlashes(address)
  if (!shorter.endsWith('#')) return shorter
  return shorter.slice(0, shorter.endsWith('/#') ? -2 : -1)
}
