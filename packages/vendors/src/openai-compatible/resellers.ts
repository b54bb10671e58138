import { balances } from '../balances/balances.ts'
import type { Vendor } from '../vendor.ts'
import { reseller } from './reseller.ts'

const yuan = { unit: '¥' } as const
const units = { unit: 'quota' } as const

/** Sources: each company's documentation as clients of 2026 quote it, read 2026-11-22. Types 6, 9, 10 and 12 are only named in such clients. */
const api2d: Vendor = reseller({
  type: 2,
  name: 'API2D',
  color: 'blue',
  docs: { page: 'https://api2d-doc.apifox.cn' },
  baseUrl: 'https://oa.api2d.net',
  keyHint: 'fk...',
  askBalance: balances[2],
})

/**
 * Its main address is now https://api.openai-proxy.org/v1; this one has less capacity, and keys work at both. Anthropic's protocol is at
 * https://api.openai-proxy.org/anthropic with `x-api-key`, and Google's at https://api.openai-proxy.org/google (doc.closeai-asia.com, "Anthropic" and
 * "Gemini", stored copies read 2026-11-26): channels of types 14 and 24 with these addresses speak them.
 */
const closeai: Vendor = reseller({
  type: 4,
  name: 'CloseAI',
  color: 'teal',
  docs: { page: 'https://doc.closeai-asia.com/tutorial/api/openai.html' },
  baseUrl: 'https://api.closeai-proxy.xyz',
  askBalance: balances[4],
  balance: yuan,
})

const openaiSb: Vendor = reseller({
  type: 5,
  name: 'OpenAI-SB',
  color: 'pink',
  baseUrl: 'https://api.openai-sb.com',
  keyHint: 'sb-...',
  askBalance: balances[5],
  balance: { unit: '¥', divisor: 10_000 },
})

const openaiMax: Vendor = reseller({ type: 6, name: 'OpenAI Max', color: 'violet', baseUrl: 'https://api.openaimax.com' })

const ohmygpt: Vendor = reseller({
  type: 7,
  name: 'OhMyGPT',
  color: 'purple',
  docs: { page: 'https://docs.ohmygpt.com/docs/api' },
  baseUrl: 'https://api.ohmygpt.com',
  askBalance: balances[7],
})

const ails: Vendor = reseller({ type: 9, name: 'AI.LS', color: 'yellow', baseUrl: 'https://api.caipacity.com' })

const aiproxy: Vendor = reseller({
  type: 10,
  name: 'AI Proxy',
  color: 'purple',
  baseUrl: 'https://api.aiproxy.io',
  askBalance: balances[10],
  balance: units,
})

const api2gpt: Vendor = reseller({
  type: 12,
  name: 'API2GPT',
  color: 'blue',
  baseUrl: 'https://api.api2gpt.com',
  askBalance: balances[12],
  balance: yuan,
})

const aigc2d: Vendor = reseller({
  type: 13,
  name: 'AIGC2D',
  color: 'purple',
  baseUrl: 'https://api.aigc2d.com',
  askBalance: balances[13],
  balance: units,
})

/** In the order in which the channel form offers them. */
export const resellers: readonly Vendor[] = [api2d, closeai, openaiSb, openaiMax, ohmygpt, ails, aiproxy, api2gpt, aigc2d]
