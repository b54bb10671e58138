import { contract } from '@sluice/contract'
import { testApp } from './app.ts'
import { chatResponse, chatStream, json } from './fake-upstream.ts'

// Runs in a copy of the repository that has the made-up vendor, and prints what came of it as JSON.

const type = 9_001
const model = 'gpt-4o-mini'

const app = await testApp()
try {
  const channel = (key: string, config = '{"region":"north"}') =>
    app.call(contract.channel.create, { name: 'made up', type, key, config, models: model, group: 'default' })
  const refused = [(await channel('other-key')).message, (await channel('mu-1', '')).message]
  const id = await app.make.channel({ type, key: 'mu-1', models: model, config: { region: 'north' } })
  app.upstream.script(json(chatResponse('Hello')), chatStream(['Good', ' day']), json(chatResponse('Yes')))
  const { key } = await app.make.token(await app.make.user())
  const ask = async (stream: boolean) => {
    const body = JSON.stringify({ model, stream, seed: 7, messages: [{ role: 'developer', content: 'Be brief.' }] })
    const response = await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
    return await response.text()
  }
  const [whole, stream] = [await ask(false), await ask(true)]
  const tested = await app.call(contract.channel.test, { id })
  const offered = await app.data(contract.catalogue.models, {})
  const upstreamRequests = app.upstream.received.map(({ path, headers, body }) => ({
    path,
    key: headers['authorization'],
    body: JSON.parse(body),
  }))
  console.log(JSON.stringify({ refused, whole: JSON.parse(whole), stream, tested, offered: offered[String(type)], sent: upstreamRequests }))
} finally {
  await app.close()
}
