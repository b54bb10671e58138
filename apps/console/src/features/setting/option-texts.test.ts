import { describe, expect, test } from 'bun:test'
import { type OptionSection, optionKeys, optionRow, optionSections } from '@sluice/contract'
import { option as en } from '../../lib/messages/en/option.ts'
import { option as zh } from '../../lib/messages/zh/option.ts'
import { anchorOf, sectionsOf, tabOf } from './sections.ts'

// Holds: keys are looked up, and a missing one is `undefined`.
const texts = { en: en as Readonly<Record<string, string>>, zh: zh as Readonly<Record<string, string>> }
const tabs = ['operations', 'system', 'other'] as const
const sections = tabs.flatMap((tab) => optionSections[tab].map((name) => `${tab}.${name}` as OptionSection))
const languages = ['en', 'zh'] as const

/** The options that the specification names for each section of its settings page (sections 2 and 3), in its order. */
const specified: Readonly<Partial<Record<OptionSection, readonly string[]>>> = {
  'operations.general': [
    ...['TopUpLink', 'ChatLink', 'QuotaPerUnit', 'RetryTimes'],
    ...['DisplayInCurrencyEnabled', 'DisplayTokenStatEnabled', 'ApproximateTokenEnabled'],
  ],
  'operations.log': ['LogConsumeEnabled'],
  'operations.monitoring': [
    ...['ChannelDisableThreshold', 'QuotaRemindThreshold', 'AutomaticDisableChannelEnabled', 'AutomaticEnableChannelEnabled'],
  ],
  'operations.quota': ['QuotaForNewUser', 'PreConsumedQuota', 'QuotaForInviter', 'QuotaForInvitee'],
  'operations.ratios': ['ModelRatio', 'CompletionRatio', 'GroupRatio'],
  'system.general': ['ServerAddress'],
  'system.login': [
    ...['PasswordLoginEnabled', 'PasswordRegisterEnabled', 'RegisterEnabled', 'EmailVerificationEnabled'],
    ...['GitHubOAuthEnabled', 'WeChatAuthEnabled', 'TurnstileCheckEnabled'],
  ],
  'system.email-domains': ['EmailDomainRestrictionEnabled', 'EmailDomainWhitelist'],
  'system.smtp': ['SMTPServer', 'SMTPPort', 'SMTPAccount', 'SMTPFrom', 'SMTPToken'],
  'system.github': ['GitHubClientId', 'GitHubClientSecret'],
  'system.lark': ['LarkClientId', 'LarkClientSecret'],
  'system.wechat': ['WeChatServerAddress', 'WeChatServerToken', 'WeChatAccountQRCodeImageURL'],
  'system.pusher': ['MessagePusherAddress', 'MessagePusherToken'],
  'system.turnstile': ['TurnstileSiteKey', 'TurnstileSecretKey'],
  'other.notice': ['Notice'],
  'other.site': ['SystemName', 'Theme', 'Logo'],
  'other.content': ['HomePageContent', 'About', 'Footer'],
}

test('every option that the specification names is in its section, in its order', () => {
  for (const [section, named] of Object.entries(specified)) {
    const placed: readonly string[] = optionKeys.filter((key) => optionRow(key).section === section && named.includes(key))
    expect([section, placed]).toEqual([section, named])
  }
  // Sections of our own stand between them.
  expect<readonly string[]>(sections.filter((section) => specified[section] !== undefined)).toEqual(Object.keys(specified))
  expect(Object.values(specified).flat()).toHaveLength(52)
})

test('the pages show every option once, in the order of the contract', () => {
  const listed = tabs.flatMap((tab) => sectionsOf(tab).flatMap(({ keys }) => keys))
  expect(listed.toSorted()).toEqual([...optionKeys].toSorted())
  for (const tab of tabs)
    for (const { keys } of sectionsOf(tab)) {
      expect(keys.length).toBeGreaterThan(0)
      expect(keys).toEqual(optionKeys.filter((key) => keys.includes(key)))
      expect(new Set(keys.map(tabOf))).toEqual(new Set([tab]))
    }
})

test('each section of a page has an anchor of its own', () => {
  for (const tab of tabs) {
    const anchors = sectionsOf(tab).map(({ section }) => anchorOf(section))
    expect(new Set(anchors).size).toBe(anchors.length)
  }
  expect(anchorOf('system.smtp')).toBe('smtp')
})

describe.each(languages)('the texts in %s', (language) => {
  test('name and explain every option', () => {
    for (const key of optionKeys)
      for (const name of [`option.${key}`, `option.${key}.help`])
        expect([name, texts[language][name] ?? '']).toEqual([name, expect.stringMatching(/\S/)])
  })

  test('name every section and every value of a choice', () => {
    const choices = optionKeys.flatMap((key) => (optionRow(key).choices ?? []).map((choice) => `choice.${key}.${choice}`))
    const names = [...sections.map((section) => `section.${section}`), ...choices]
    expect(names.filter((name) => (texts[language][name] ?? '') === '')).toEqual([])
  })

  test('have no name of an option that does not exist', () => {
    const named = Object.keys(texts[language]).flatMap((name) => /^option\.(\w+)(?:\.help)?$/.exec(name)?.[1] ?? [])
    const known: readonly string[] = optionKeys
    expect(named.filter((key) => !known.includes(key))).toEqual([])
  })
})

test('every explanation is in Chinese in the Chinese texts', () => {
  const untranslated = optionKeys.filter((key) => !/\p{Script=Han}/u.test(texts.zh[`option.${key}.help`] ?? ''))
  expect(untranslated).toEqual([])
})
