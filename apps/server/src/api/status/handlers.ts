import { contract, type Settings, version } from '@sluice/contract'
import { implement } from '../implement.ts'
import { storedHtml, storedMarkdown } from './render-text.ts'

interface StatusDeps {
  readonly settings: () => Settings
  /** Seconds since the epoch. */
  readonly startTime: number
}

export const statusApi = ({ settings, startTime }: StatusDeps) => {
  const theme = settings().Theme

  return implement(contract.status, {
    async get(_input, _caller, visit) {
      const options = settings()
      return {
        version,
        start_time: startTime,
        system_name: options.SystemName,
        logo: options.Logo,
        footer_html: await storedHtml(options.Footer),
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
        google_oauth: options.GoogleOAuthEnabled,
        oidc_login: options.OidcEnabled,
        oidc_name: options.OidcName,
        lark_client_id: options.LarkClientId,
        server_address: options.ServerAddress === '' ? visit.origin : options.ServerAddress,
      }
    },
    notice: async () => storedMarkdown(settings().Notice),
    about: async () => storedMarkdown(settings().About),
    homePageContent: async () => storedMarkdown(settings().HomePageContent),
  })
}
