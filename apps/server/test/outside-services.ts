import { contract } from '@sluice/contract'
import type { TestApp } from './app.ts'
import { startMailServer } from './fake-mail-server.ts'
import { type FakePerson, fakeGithub, fakeLark, fakePusher, fakeReleases, fakeTurnstile, fakeWechat } from './fake-services.ts'

export type Person = FakePerson
export type OutsideServices = Awaited<ReturnType<typeof startOutsideServices>>

const github = { id: 'github-client', secret: 'github-secret' } as const
const lark = { id: 'lark-client', secret: 'lark-secret' } as const
const wechatToken = 'wechat-token'
const pusherToken = 'push-token'
const release = { tag_name: 'v0.7.0', body: '## What is new\n\n- **Faster** starts\n\n<script>alert(1)</script>' }

/** Every service that proves who somebody is, as real servers on loopback that speak its protocol. */
export async function startOutsideServices() {
  const wechatOwners: Record<string, string> = {}
  const mail = await startMailServer({ isPlain: true })
  const services = {
    github: fakeGithub(github),
    lark: fakeLark(lark),
    turnstile: fakeTurnstile(),
    wechat: fakeWechat(wechatToken, wechatOwners),
    pusher: fakePusher(pusherToken),
    releases: fakeReleases(release),
  }
  return {
    ...services,
    mail,
    wechatOwners,
    addresses: {
      github: services.github.url,
      githubApi: services.github.url,
      lark: services.lark.url,
      larkPassport: services.lark.url,
      turnstile: services.turnstile.url,
    },
    /** Variables of the server. */
    env: { RELEASES_URL: `${services.releases.url}/repos/owner/repository/releases/latest` },
    /** Sets the options; the bot check and the verification of addresses stay off. */
    async setUp(app: TestApp): Promise<void> {
      const options = {
        ...{ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com', ServerAddress: app.url },
        ...{ GitHubClientId: github.id, GitHubClientSecret: github.secret, GitHubOAuthEnabled: 'true' },
        ...{ LarkClientId: lark.id, LarkClientSecret: lark.secret },
        ...{ WeChatServerAddress: services.wechat.url, WeChatServerToken: wechatToken, WeChatAuthEnabled: 'true' },
        ...{ WeChatAccountQRCodeImageURL: `${app.url}/logo.png` },
        ...{ MessagePusherAddress: services.pusher.url, MessagePusherToken: pusherToken },
        ...{ TurnstileSiteKey: 'site-key', TurnstileSecretKey: 'secret-key' },
      }
      for (const [key, value] of Object.entries(options)) await app.data(contract.option.update, { key, value })
    },
    async close(): Promise<void> {
      await Promise.all([...Object.values(services), mail].map((service) => service.close()))
    },
  }
}
