import type { TestUser } from './app.ts'

/** What a call acts on. Who may make the call at all is in its row of the contract. */
export type Target =
  /** Things without an owner: every permitted caller may act on all of them. */
  | { readonly on: 'everything' }
  /** The caller's own account and rows, whatever the input names. */
  | { readonly on: 'caller' }
  /** A token, by its id: only its owner may act on it, not even admins and root. */
  | { readonly on: 'token'; readonly input: (id: number) => Readonly<Record<string, unknown>> }
  /** A task, by its id: its owner and administrators may act on it. The tests of that noun check it. */
  | { readonly on: 'task' }
  /** An account of a lower role than the caller's. `rootOnRoot`: root may also act on root accounts, including itself. */
  | {
      readonly on: 'account'
      readonly input: (user: TestUser) => Readonly<Record<string, unknown>>
      readonly rootOnRoot: boolean
    }

const everything: Target = { on: 'everything' }
const caller: Target = { on: 'caller' }
const task: Target = { on: 'task' }
const token = (input: (id: number) => Readonly<Record<string, unknown>>): Target => ({ on: 'token', input })

const account = (input: (user: TestUser) => Readonly<Record<string, unknown>>, rootOnRoot: boolean): Target => ({
  on: 'account',
  input,
  rootOnRoot,
})

/** One row for every call of the contract, by its name. access.test.ts fails if a call has none. */
export const targets: Readonly<Record<string, Target>> = {
  'status.get': everything,
  'status.connection': everything,
  'status.notice': everything,
  'status.about': everything,
  'status.homePageContent': everything,

  'ledger.check': everything,
  'ledger.setAside': everything,
  'ledger.setAsideOf': everything,
  'ledger.retry': everything,
  'ledger.resolve': everything,

  'account.register': caller,
  'account.login': caller,
  'account.setup': caller,
  'account.logout': caller,
  'account.self': caller,
  'account.updateSelf': caller,
  'account.removeSelf': caller,
  'account.accessToken': caller,
  'account.newAccessToken': caller,
  'account.removeAccessToken': caller,
  'account.inviteCode': caller,
  'account.invited': caller,
  'account.dashboard': caller,
  'account.availableModels': caller,

  'session.list': caller,
  'session.remove': caller,
  'session.removeOthers': caller,

  'secondFactor.get': caller,
  'secondFactor.update': caller,
  'secondFactor.beginApp': caller,
  'secondFactor.confirmApp': caller,
  'secondFactor.removeApp': caller,
  'secondFactor.renewCodes': caller,
  'secondFactor.login': caller,
  'secondFactor.clear': account(({ id }) => ({ id }), false),

  'passkey.list': caller,
  'passkey.begin': caller,
  'passkey.create': caller,
  'passkey.rename': caller,
  'passkey.remove': caller,
  'passkey.beginLogin': caller,
  'passkey.login': caller,

  'accessToken.list': caller,
  'accessToken.create': caller,
  'accessToken.remove': caller,

  'notification.list': caller,
  'notification.create': caller,
  'notification.update': caller,
  'notification.remove': caller,
  'notification.test': caller,
  'notification.history': caller,

  'user.list': everything,
  'user.search': everything,
  'user.export': everything,
  'user.get': account(({ id }) => ({ id }), true),
  'user.create': everything,
  'user.update': account(({ id }) => ({ id, display_name: 'Renamed', quota: 7 }), true),
  'user.manage': account(({ username }) => ({ username, action: 'disable' }), false),
  'user.remove': account(({ id }) => ({ id }), false),
  'user.unbind': account(({ id }) => ({ id, way: 'github' }), true),
  'user.accessTokens': account(({ id }) => ({ id }), false),
  'user.removeAccessToken': account(({ id }) => ({ id, token: 'system' }), false),
  'user.topUp': account(({ id }) => ({ user_id: id, quota: 7 }), true),

  'token.list': caller,
  'token.search': caller,
  'token.export': caller,
  'token.get': token((id) => ({ id })),
  'token.create': caller,
  'token.setStatus': token((id) => ({ id, status: 2 })),
  'token.update': token((id) => ({ id, name: 'renamed' })),
  'token.replaceKey': token((id) => ({ id })),
  'token.remove': token((id) => ({ id })),

  'channel.list': everything,
  'channel.search': everything,
  'channel.export': everything,
  'channel.exportFile': everything,
  'channel.exportKeys': everything,
  'channel.importFile': everything,
  'channel.models': everything,
  'channel.testAll': everything,
  'channel.progress': everything,
  'channel.health': everything,
  'channel.board': everything,
  'channel.tests': everything,
  'channel.test': everything,
  'channel.testForm': everything,
  'channel.updateBalances': everything,
  'channel.updateBalance': everything,
  'channel.upstreamModels': everything,
  'channel.webhook': everything,
  'channel.upstreamModelsOf': everything,
  'channel.unpriced': everything,
  'channel.listPrices': everything,
  'channel.history': everything,
  'channel.setPrice': everything,
  'channel.get': everything,
  'channel.create': everything,
  'channel.update': everything,
  'channel.removeDisabled': everything,
  'channel.remove': everything,

  'redemption.list': everything,
  'redemption.search': everything,
  'redemption.export': everything,
  'redemption.get': everything,
  'redemption.create': everything,
  'redemption.setStatus': everything,
  'redemption.update': everything,
  'redemption.replaceKey': everything,
  'redemption.remove': everything,
  'redemption.redeem': caller,

  'model.list': caller,
  'model.status': caller,
  'route.explain': everything,

  'task.list': everything,
  'task.self': caller,
  'task.export': everything,
  'task.exportSelf': caller,
  'task.fields': caller,
  'task.estimate': caller,
  'task.get': task,
  'task.cancel': task,
  'task.remove': task,

  'log.list': everything,
  'log.listSelf': caller,
  'log.stat': everything,
  'log.statSelf': caller,
  'log.search': everything,
  'log.searchSelf': caller,
  'log.tail': everything,
  'log.tailSelf': caller,
  'log.export': everything,
  'log.exportSelf': caller,
  'log.read': everything,
  'log.readSelf': caller,
  'log.series': everything,
  'log.seriesSelf': caller,
  'log.losses': everything,
  'log.times': everything,
  'log.timesSelf': caller,
  'log.remove': everything,

  'option.list': everything,
  'option.update': everything,
  'option.history': everything,
  'option.unreadable': everything,
  'option.details': everything,
  'option.preview': everything,
  'option.testMail': caller,
  'option.testPusher': everything,
  'option.release': everything,
  'option.waiting': everything,
  'option.confirm': everything,
  'option.reject': everything,

  'catalogue.groups': everything,
  'catalogue.models': everything,

  'verification.sendCode': everything,
  'verification.requestReset': everything,
  'verification.reset': everything,

  'oauth.state': everything,
  'oauth.github': everything,
  'oauth.google': everything,
  'oauth.oidc': everything,
  'oauth.lark': everything,
  'oauth.wechat': everything,
  'oauth.bindWechat': caller,
  'oauth.bindEmail': caller,
  'oauth.unbind': caller,
}
