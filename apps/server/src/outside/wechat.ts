import type { Settings } from '@sluice/contract'
import { type Service, textOf } from './call.ts'
import { type Identify, refusedBy } from './identity.ts'

interface WechatDeps {
  readonly service: Service
  readonly settings: () => Settings
}

/** The protocol of the WeChat server used by one-api consoles: it issues login codes and returns the user of each. */
export function createWechat({ service, settings }: WechatDeps): Identify {
  return async ({ code }) => {
    const { WeChatServerAddress, WeChatServerToken } = settings()
    const response = await service.json({
      url: `${WeChatServerAddress}/api/wechat/user?${new URLSearchParams({ code })}`,
      headers: { authorization: WeChatServerToken },
    })
    const id = textOf(response['data'])
    if (response['success'] !== true || id.trim() === '') throw refusedBy(service.name, textOf(response['message']))
    return { id, loginName: '', name: '' }
  }
}
