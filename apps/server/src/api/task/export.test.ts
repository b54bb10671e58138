import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, exportColumns } from '@sluice/contract'
import type { Session } from '../../../test/app.ts'
import { clientFor, type TaskScene, taskScene } from '../../../test/task-scene.ts'
import { exportStepRows } from '../export-file.ts'

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => scene.app.close())

const formula = '=A cat, on a "keyboard"'
const formulaInCsv = `"'=A cat, on a ""keyboard"""`

/** An account, and how it orders a video. */
async function another() {
  const user = await scene.app.make.user({ quota: 1_000_000_000 })
  const { key } = await scene.app.make.token(user, { isUnlimited: true })
  const client = clientFor(scene.app, key)
  return { user, create: (prompt: string) => client.videos.create({ model: 'sora-2', seconds: '8', size: '1280x720', prompt }) }
}

async function fileOf(address: string, { headers }: Session, language = 'en') {
  const response = await scene.app.request(address, { headers: { ...headers, 'accept-language': language } })
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
  return { name: response.headers.get('content-disposition'), text, lines: text.split('\r\n') }
}

const { path: everybody } = contract.task.export
const { path: own } = contract.task.exportSelf

describe('exported tasks', () => {
  test('are those that match, with the words and costs of the list, and without formulas and links to results', async () => {
    const { app, poll, vendor } = scene
    const { user, create } = await another()
    const { id } = await create(formula)
    const video = [...vendor.videos.values()].at(-1)
    if (video === undefined) throw new Error('nothing was ordered')
    video.status = 'completed'
    await poll()
    await create('another')
    const { name, lines } = await fileOf(`${own}?columns=id,prompt,state,kind,model,cost,ended,error,user,channel`, user)
    expect(name).toBe('attachment; filename="task.csv"')
    expect(lines[0]).toBe('\uFEFFTask ID,Prompt,Status,Type,Model,Cost,Finished,Error')
    expect(lines[1]).toEndWith(',another,Queued,Video,sora-2,400000,not yet,')
    expect(lines[2]).toStartWith(`${id},${formulaInCsv},Completed,Video,sora-2,400000,20`)
    expect(lines).toHaveLength(4)
    expect((await fileOf(`${own}?columns=state,kind&state=completed`, user, 'zh-CN')).lines).toEqual(['\uFEFF状态,类型', '已完成,视频', ''])
    const { text } = await fileOf(`${own}?format=json`, user)
    const rows: readonly object[] = JSON.parse(text)
    expect(rows).toMatchObject([
      { prompt: 'another', state: 'queued' },
      { public_id: id, charged: 400_000 },
    ])
    for (const row of rows) for (const absent of ['results', 'parameters', 'channel', 'username']) expect(row).not.toHaveProperty(absent)
    const [, ended] = await app.data(contract.task.self, {}, user)
    expect(ended?.results[0]?.url).toStartWith('/')
    expect(text).not.toContain(String(ended?.results[0]?.url))
  })

  test('of everybody are for administrators, with account and channel', async () => {
    const { app, channel } = scene
    const { user, create } = await another()
    await create(formula)
    const { name } = await app.data(contract.channel.get, { id: channel }, app.root)
    const { lines } = await fileOf(`${everybody}?columns=user,channel,prompt&username=${user.username}`, app.root)
    expect(lines).toEqual(['\uFEFFUser,Channel,Prompt', `${user.username},${name},${formulaInCsv}`, ''])
    const [row] = JSON.parse((await fileOf(`${everybody}?format=json&username=${user.username}`, app.root)).text)
    expect(row).toMatchObject({ username: user.username, channel })
    expect((await fileOf(everybody, user)).text).toContain('"success":false')
    expect((await fileOf(`${everybody}?columns=none`, app.root)).lines[0]?.split(',')).toHaveLength(Object.keys(exportColumns.task).length)
  })

  test('are each there once, over several steps', async () => {
    const { user, create } = await another()
    const count = exportStepRows + 3
    const ids: string[] = []
    while (ids.length < count) {
      const some = Array.from({ length: Math.min(25, count - ids.length) }, () => create('one of many'))
      ids.push(...(await Promise.all(some)).map(({ id }) => id))
    }
    const { lines } = await fileOf(`${own}?columns=id`, user)
    expect(lines).toHaveLength(count + 2)
    expect(new Set(lines.slice(1, -1))).toEqual(new Set(ids))
  })
})
