/**
 * The texts of features, by language. The routes of a feature load its group together with its page, so that the first paint does not
 * wait for the texts of other pages. A new feature is one row here.
 */
export const textGroups = {
  accessTokens: {
    en: async () => (await import('./en/access-tokens.ts')).accessTokens,
    zh: async () => (await import('./zh/access-tokens.ts')).accessTokens,
  },
  account: { en: async () => (await import('./en/account.ts')).account, zh: async () => (await import('./zh/account.ts')).account },
  channel: { en: async () => (await import('./en/channel.ts')).channel, zh: async () => (await import('./zh/channel.ts')).channel },
  content: { en: async () => (await import('./en/content.ts')).content, zh: async () => (await import('./zh/content.ts')).content },
  dashboard: {
    en: async () => (await import('./en/dashboard.ts')).dashboard,
    zh: async () => (await import('./zh/dashboard.ts')).dashboard,
  },
  expiry: { en: async () => (await import('./en/expiry.ts')).expiry, zh: async () => (await import('./zh/expiry.ts')).expiry },
  form: { en: async () => (await import('./en/form.ts')).form, zh: async () => (await import('./zh/form.ts')).form },
  freshLogin: {
    en: async () => (await import('./en/fresh-login.ts')).freshLogin,
    zh: async () => (await import('./zh/fresh-login.ts')).freshLogin,
  },
  history: { en: async () => (await import('./en/history.ts')).history, zh: async () => (await import('./zh/history.ts')).history },
  home: { en: async () => (await import('./en/home.ts')).home, zh: async () => (await import('./zh/home.ts')).home },
  identity: { en: async () => (await import('./en/identity.ts')).identity, zh: async () => (await import('./zh/identity.ts')).identity },
  log: { en: async () => (await import('./en/log.ts')).log, zh: async () => (await import('./zh/log.ts')).log },
  login: { en: async () => (await import('./en/login.ts')).login, zh: async () => (await import('./zh/login.ts')).login },
  notices: { en: async () => (await import('./en/notices.ts')).notices, zh: async () => (await import('./zh/notices.ts')).notices },
  notification: {
    en: async () => (await import('./en/notification.ts')).notification,
    zh: async () => (await import('./zh/notification.ts')).notification,
  },
  option: { en: async () => (await import('./en/option.ts')).option, zh: async () => (await import('./zh/option.ts')).option },
  optionPage: {
    en: async () => (await import('./en/option-page.ts')).optionPage,
    zh: async () => (await import('./zh/option-page.ts')).optionPage,
  },
  palette: { en: async () => (await import('./en/palette.ts')).palette, zh: async () => (await import('./zh/palette.ts')).palette },
  otherAccount: {
    en: async () => (await import('./en/other-account.ts')).otherAccount,
    zh: async () => (await import('./zh/other-account.ts')).otherAccount,
  },
  personal: { en: async () => (await import('./en/personal.ts')).personal, zh: async () => (await import('./zh/personal.ts')).personal },
  model: { en: async () => (await import('./en/model.ts')).model, zh: async () => (await import('./zh/model.ts')).model },
  playground: {
    en: async () => (await import('./en/playground.ts')).playground,
    zh: async () => (await import('./zh/playground.ts')).playground,
  },
  rewrite: { en: async () => (await import('./en/rewrite.ts')).rewrite, zh: async () => (await import('./zh/rewrite.ts')).rewrite },
  route: { en: async () => (await import('./en/route.ts')).route, zh: async () => (await import('./zh/route.ts')).route },
  secondStep: {
    en: async () => (await import('./en/second-step.ts')).secondStep,
    zh: async () => (await import('./zh/second-step.ts')).secondStep,
  },
  security: { en: async () => (await import('./en/security.ts')).security, zh: async () => (await import('./zh/security.ts')).security },
  setAside: { en: async () => (await import('./en/set-aside.ts')).setAside, zh: async () => (await import('./zh/set-aside.ts')).setAside },
  setting: { en: async () => (await import('./en/setting.ts')).setting, zh: async () => (await import('./zh/setting.ts')).setting },
  task: { en: async () => (await import('./en/task.ts')).task, zh: async () => (await import('./zh/task.ts')).task },
  topup: { en: async () => (await import('./en/topup.ts')).topup, zh: async () => (await import('./zh/topup.ts')).topup },
  token: { en: async () => (await import('./en/token.ts')).token, zh: async () => (await import('./zh/token.ts')).token },
  redemption: {
    en: async () => (await import('./en/redemption.ts')).redemption,
    zh: async () => (await import('./zh/redemption.ts')).redemption,
  },
  transfer: { en: async () => (await import('./en/transfer.ts')).transfer, zh: async () => (await import('./zh/transfer.ts')).transfer },
  uptime: { en: async () => (await import('./en/uptime.ts')).uptime, zh: async () => (await import('./zh/uptime.ts')).uptime },
  user: { en: async () => (await import('./en/user.ts')).user, zh: async () => (await import('./zh/user.ts')).user },
} as const

export type TextGroup = keyof typeof textGroups

type TextsOf<G extends TextGroup> = Awaited<ReturnType<(typeof textGroups)[G]['en']>>

/** The keys of all groups. */
export type GroupKey = { [G in TextGroup]: keyof TextsOf<G> }[TextGroup]
