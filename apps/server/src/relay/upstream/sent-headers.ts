import { fieldLines } from '@sluice/http1/fields'
import { authHeaders } from '@sluice/vendors/build-request'
import type { Outgoing } from '@sluice/vendors/dialect'
import type { Call } from '../model/call.ts'
import type { Channel } from '../model/channel.ts'
import { withOwnHeaders } from './own-headers.ts'

interface Given {
  /** The dialect's. */
  readonly given: Outgoing['headers']
  /** The body, if it is sent in another type than JSON. */
  readonly upload: { readonly contentType: string } | null
}

/** The last headers of a channel with one `accept`. */
interface Kept {
  readonly given: Outgoing['headers']
  readonly lines: string
}

const jsonType = 'application/json'
const kept = new WeakMap<Channel, Map<string, Kept>>()

/**
 * The headers of a request, as lines. No client header is forwarded. They are the same for most requests at a channel, so they are kept for
 * as long as the channel is not changed.
 */
export function headerLines({ rules, params }: Call, channel: Channel, { given, upload }: Given): string {
  const accept = rules.plain === undefined ? (params.isStream ? 'text/event-stream' : jsonType) : '*/*'
  if (upload !== null) return fieldLines({ ...headersOf(channel, given, accept), 'content-type': upload.contentType })
  const known = kept.get(channel)
  const last = known?.get(accept)
  if (last?.given === given) return last.lines
  const lines = fieldLines(headersOf(channel, given, accept))
  if (known === undefined) kept.set(channel, new Map([[accept, { given, lines }]]))
  else known.set(accept, { given, lines })
  return lines
}

function headersOf(channel: Channel, given: Outgoing['headers'], accept: string): Record<string, string> {
  const own = { 'content-type': jsonType, accept, 'accept-encoding': 'identity' }
  return withOwnHeaders({ ...own, ...given, ...authHeaders(channel.vendor, channel.key) }, channel)
}
