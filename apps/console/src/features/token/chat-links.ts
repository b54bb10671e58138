import type { StatusObject } from '@sluice/contract'

/** Where a chat opens when no chat link is set. */
const defaultChat = 'https://app.nextchat.dev'

interface ChatTarget {
  /** `sk-` and the key. */
  readonly key: string
  /** Where the client sends its requests. */
  readonly server: string
  /** The stored chat link; empty = the default chat. */
  readonly chat: string
}

export function chatTarget(key: string, status: Partial<StatusObject>, origin: string): ChatTarget {
  return { key: `sk-${key}`, server: withoutSlash(status.server_address || origin), chat: withoutSlash(status.chat_link || defaultChat) }
}

/** The forms in which chat clients take a key and the address that goes with it. */
export const chatLinks = {
  next: ({ key, server, chat }: ChatTarget) => `${chat}/#/?settings=${encodeURIComponent(JSON.stringify({ key, url: server }))}`,
  ama: ({ key, server }: ChatTarget) => `ama://set-api-key?server=${encodeURIComponent(server)}&key=${encodeURIComponent(key)}`,
  opencat: ({ key, server }: ChatTarget) => `opencat://team/join?domain=${encodeURIComponent(server)}&token=${encodeURIComponent(key)}`,
} as const

export const chatFormats = ['next', 'ama', 'opencat'] as const

/** A stored link may already end as the web page that it opens does. */
function withoutSlash(address: string): string {
  return address.replace(/(?:\/?#)?\/*$/, '')
}
