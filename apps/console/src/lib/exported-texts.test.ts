import { expect, test } from 'bun:test'
import { exportTexts } from '@sluice/contract'
import { channel } from './messages/en/channel.ts'
import { common } from './messages/en/common.ts'
import { redemption } from './messages/en/redemption.ts'
import { task } from './messages/en/task.ts'
import { token } from './messages/en/token.ts'
import { user } from './messages/en/user.ts'
import { channel as channelZh } from './messages/zh/channel.ts'
import { common as commonZh } from './messages/zh/common.ts'
import { redemption as redemptionZh } from './messages/zh/redemption.ts'
import { task as taskZh } from './messages/zh/task.ts'
import { token as tokenZh } from './messages/zh/token.ts'
import { user as userZh } from './messages/zh/user.ts'

test('exported lists have the names of the columns and values that the console shows', () => {
  const en = new Map<string, unknown>(Object.entries({ ...channel, ...common, ...redemption, ...task, ...token, ...user }))
  const zh = new Map<string, unknown>(Object.entries({ ...channelZh, ...commonZh, ...redemptionZh, ...taskZh, ...tokenZh, ...userZh }))
  for (const [key, text] of Object.entries(exportTexts)) expect([key, text]).toEqual([key, { en: en.get(key), zh: zh.get(key) }] as never)
})
