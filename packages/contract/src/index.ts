import { accessToken } from './access-token.ts'
import { account } from './account.ts'
import { catalogue } from './catalogue.ts'
import { channel } from './channel.ts'
import { ledger } from './ledger.ts'
import { log } from './log.ts'
import { model } from './model.ts'
import { notification } from './notification.ts'
import { oauth } from './oauth.ts'
import { option } from './option.ts'
import { passkey } from './passkey.ts'
import { redemption } from './redemption.ts'
import { route } from './route.ts'
import { scopesOfCalls } from './scopes.ts'
import { secondFactor } from './second-factor.ts'
import { separateScopes } from './separate-scopes.ts'
import { session } from './session.ts'
import { status } from './status.ts'
import { task } from './task.ts'
import { token } from './token.ts'
import { user } from './user.ts'
import { verification } from './verification.ts'

/** Every call of the management API, by noun. */
export const contract = {
  status,
  account,
  user,
  token,
  channel,
  redemption,
  task,
  model,
  route,
  ledger,
  log,
  option,
  catalogue,
  verification,
  oauth,
  session,
  secondFactor,
  passkey,
  accessToken,
  notification,
}

/** The scope that opens each call to a personal access token. Calls that no access token can make have none. */
export const callScopes = scopesOfCalls(contract)

const isSeparate = (scope: string): boolean => separateScopes.some((separate) => separate === scope)

/** Every scope except those of all nouns, the separate ones last. */
export const nounScopes: readonly string[] = [...new Set([...callScopes.values()].filter((scope) => !isSeparate(scope))), ...separateScopes]

export * from './access-token.ts'
export * from './account.ts'
export * from './band-bounds.ts'
export * from './catalogue.ts'
export * from './change.ts'
export * from './channel.ts'
export { channelBaselineFields as channelShownNames } from './channel-baseline.ts'
export { channelTagMax } from './channel-fields.ts'
export { isWholeKey } from './channel-key.ts'
export { channelLimits, type StoredSettings, settingCharactersOf } from './channel-limits.ts'
export type { ChannelBoardRow, ChannelHealthRow, ChannelTestRow, ChannelWork } from './channel-reports.ts'
export { channelSettingNames, keyPlaceholder, newChannelSettings, noChannelSettings } from './channel-settings.ts'
export {
  type ChannelFile,
  type ChannelRows,
  channelFileMax,
  channelFileVersion,
  channelRowsIn,
  type FileChannel,
  type ImportedRow,
  type ImportSource,
  importRowsMax,
  importSources,
  sourceOfRows,
} from './channel-transfer.ts'
export { contentRules } from './content.ts'
export { csvLine, csvStart, type ExportFormat, type FileStream } from './csv.ts'
export * from './duration-bands.ts'
export * from './endpoint.ts'
export * from './envelope.ts'
export * from './errors.ts'
export * from './export-columns.ts'
export * from './ledger.ts'
export * from './limits.ts'
export * from './log.ts'
export * from './log-columns.ts'
export * from './login-rules.ts'
export { type CodedMessage, type CodedMessageParams, codedMessageText, plainParams, readCodedMessage } from './messages/coded-message.ts'
export * from './messages/en.ts'
export { type Language, languageOf, type MessageParams } from './messages/fill.ts'
export * from './messages/form-text.ts'
export * from './messages/message-text.ts'
export * from './messages/zh.ts'
export * from './model.ts'
export * from './model-facts.ts'
export * from './mp4-facts.ts'
export { mp4FileLength } from './mp4-length.ts'
export * from './notification.ts'
export * from './oauth.ts'
export * from './option.ts'
export { isMailDomain } from './option-lists.ts'
export {
  isHttpAddress,
  type OptionControl,
  type OptionSection,
  type OptionTab,
  type OptionUnit,
  optionSections,
  type Reliant,
} from './option-rows.ts'
export * from './options.ts'
export { opusPacketMs } from './opus.ts'
export { isPageAddress } from './page-address.ts'
export { jsonDepthMax, jsonFlaw, jsonTooDeep, parseJsonText } from './parse-json-text.ts'
export { parseUrl } from './parse-url.ts'
export { isModelName, searchTextMax, timeMax } from './parts.ts'
export * from './passkey.ts'
export * from './percentile.ts'
export { type PriceChoice, type PriceRule, parsePriceRules, priceFieldOptions } from './price-rules.ts'
export { privateHostsMax } from './private-host.ts'
export * from './proxy-rules.ts'
export * from './redemption.ts'
export * from './rewrite-kinds.ts'
export * from './route.ts'
export { credentialScope, includesScope, partScopes, showsKeys, wholeScopes } from './scopes.ts'
export * from './second-factor.ts'
export * from './separate-scopes.ts'
export * from './series-lines.ts'
export * from './session.ts'
export * from './status.ts'
export * from './task.ts'
export * from './token.ts'
export { withoutTrailingSlashes } from './trailing-slashes.ts'
export * from './user.ts'
export { isTrustedUsername, usernameProblem } from './username.ts'
export * from './verification.ts'
