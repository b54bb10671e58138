import { contract, githubScopes, type Settings, version } from '@sluice/contract'
import { implement } from '../implement.ts'
import type { TextRenderer } from './render-text.ts'

interface StatusDeps {
  readonly settings: () => Settings
  readonly texts: TextRenderer
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: () => string
  /** Seconds since the epoch. */
  readonly startTime: number
}

export const statusApi = ({ settings, startTime, texts, publicAddress }: StatusDeps) => {
  const markdown = async (text: string): Promise<string> => (await texts.stored({ kind: 'markdown', text })).html
  const theme = settings().Theme

  return implement(contract.status, {
    async get(_input, _caller, visit) {
      const options = settings()
      return {
        version,
        start_time: startTime,
        system_name: options.SystemName,
        logo: options.Logo,
        footer_html: (await texts.stored({ kind: 'html', text: options.Footer })).html,
        theme,
        quota_per_unit: options.QuotaPerUnit,
        display_in_currency: options.DisplayInCurrencyEnabled,
        public_models: options.PublicModelsEnabled,
        status_page: options.StatusPageEnabled,
        chat_link: options.ChatLink,
        top_up_link: options.TopUpLink,
        register: options.RegisterEnabled && options.PasswordRegisterEnabled,
        password_login: options.PasswordLoginEnabled,
        email_verification: options.EmailVerificationEnabled,
        turnstile_check: options.TurnstileCheckEnabled,
        turnstile_site_key: options.TurnstileSiteKey,
        wechat_login: options.WeChatAuthEnabled,
        wechat_qrcode: options.WeChatAccountQRCodeImageURL,
        github_oauth: options.GitHubOAuthEnabled,
        github_client_id: options.GitHubClientId,
        github_scopes: githubScopes(options),
        google_oauth: options.GoogleOAuthEnabled,
        oidc_login: options.OidcEnabled,
        oidc_name: options.OidcName,
        lark_client_id: options.LarkClientId,
        server_address: publicAddress() || `${visit.origin}${visit.basePath}`,
      }
    },
    connection: async (_input, _caller, visit) => ({ origin: visit.origin, address: visit.address, proxy: visit.proxyBetween() }),
    notice: async () => markdown(settings().Notice),
    about: async () => markdown(settings().About),
    homePageContent: async () => markdown(settings().HomePageContent),
  })
}
