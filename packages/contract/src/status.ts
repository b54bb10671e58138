import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput } from './parts.ts'

/** The version that compatible consoles compare with (specification, section 9). */
export const version = 'v0.6.8'

/** What the console needs before a login (specification, section 3). Every field is always present. */
export const statusObject = z.object({
  version: z.string(),
  /** Seconds since the epoch. */
  start_time: z.int(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  /** The value of the option when the server started. */
  theme: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  /** Whether visitors may see the models and their prices. */
  public_models: z.boolean(),
  /** Whether there is a page that shows how well the models work. */
  status_page: z.boolean(),
  chat_link: z.string(),
  top_up_link: z.string(),
  /** Whether a form can create an account. */
  register: z.boolean(),
  /** Whether accounts can log in by password. */
  password_login: z.boolean(),
  email_verification: z.boolean(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  /** The scopes that a login by GitHub asks for. */
  github_scopes: z.string(),
  google_oauth: z.boolean(),
  oidc_login: z.boolean(),
  /** What the button of the login by the OpenID provider says. */
  oidc_name: z.string(),
  lark_client_id: z.string(),
  server_address: z.string(),
})
export type StatusObject = z.output<typeof statusObject>

/** What the server sees of the request itself: a proxy in front may have changed it. */
const connectionSeen = z.object({
  /** Scheme and host, as the client or a trusted proxy reports them. */
  origin: z.string(),
  /** Of the client, trusted proxies resolved. */
  address: z.string(),
  /** Whether a proxy shows, and whether the server trusts what it says. */
  proxy: z.enum(['none', 'trusted', 'untrusted']),
})

export const status = {
  get: endpoint({ method: 'GET', path: '/api/status', access: 'public', input: noInput, data: statusObject }),
  connection: endpoint({ method: 'GET', path: '/api/status/connection', access: 'public', input: noInput, data: connectionSeen }),
  /** Public texts: Markdown with sanitized HTML. `about` and `homePageContent` may be the address of a page instead. */
  notice: endpoint({ method: 'GET', path: '/api/notice', access: 'public', input: noInput, data: z.string() }),
  about: endpoint({ method: 'GET', path: '/api/about', access: 'public', input: noInput, data: z.string() }),
  homePageContent: endpoint({ method: 'GET', path: '/api/home_page_content', access: 'public', input: noInput, data: z.string() }),
}
