import { isIP } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { createDeadlines } from '../lib/deadlines.ts'
import { lookUpName } from '../lib/look-up-name.ts'
import { type OutgoingProxies, requestProxyFor } from '../lib/outgoing-proxy.ts'
import { type CheckedCalls, createCheckedCalls } from './checked-call.ts'

/** Calls to addresses that the operator of the server has set in the environment. No rule for addresses concerns them. */
export function openOperatorCalls({ outgoingProxies }: { readonly outgoingProxies: OutgoingProxies }, clock: Clock): CheckedCalls {
  const outgoing = { proxyFor: requestProxyFor(outgoingProxies), addressesOf }
  return createCheckedCalls({ clock, deadlines: createDeadlines(clock), addressesOf, mayBeNamed: () => true, outgoing })
}

async function addressesOf(origin: string): Promise<readonly string[]> {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? await lookUpName(host) : [host]
}
