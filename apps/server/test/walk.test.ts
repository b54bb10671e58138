import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorCode, en, errors, optionKeys, options, priceFieldOptions, zh } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'
import { endpoints, sendRaw } from './endpoints.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

describe('addresses', () => {
  for (const [name, endpoint] of endpoints) {
    test(`${name} is served with and without its final slash, without a redirect`, async () => {
      const [withSlash, without] = [await sendRaw(app, endpoint, { hasSlash: true }), await sendRaw(app, endpoint)]
      expect([withSlash.status, without.status].some((status) => status >= 300 && status < 400)).toBe(false)
      expect(withSlash.status).toBe(without.status)
      expect(withSlash.status).not.toBe(404)
    })
  }

  test('unknown paths and methods get a 404 and an OpenAI error object', async () => {
    for (const [method, path] of [
      ['GET', '/api/nonsense'],
      ['PATCH', '/api/token/'],
      ['GET', '/api'],
      ['POST', '/api/status'],
    ] as const) {
      const response = await app.request(path, { method })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'unknown_url' } })
    }
  })
})

/** The text of all sources in a folder. */
function sourcesOf(place: string): string {
  const folder = join(import.meta.dir, place)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
}

describe('tables', () => {
  const sources = sourcesOf('../src')
  const contractFiles = join(import.meta.dir, '../../../packages/contract/src')
  // Only the files of the nouns, because the tables of texts and errors contain every name.
  const contractSources = readdirSync(contractFiles)
    .filter((file) => file.endsWith('.ts') && file !== 'errors.ts')
    .map((file) => readFileSync(join(contractFiles, file), 'utf8'))
    .join('\n')

  test('every error has a text in both languages, and every text is used', () => {
    const codes = Object.keys(errors) as ErrorCode[]
    expect(codes.filter((code) => !(code in en) || !(code in zh))).toEqual([])
    const unused = Object.keys(en).filter((key) => !sources.includes(`'${key}'`) && !contractSources.includes(`'${key}'`))
    expect(unused).toEqual([])
  })

  test('every error is thrown somewhere', () => {
    expect(Object.keys(errors).filter((code) => !sources.includes(`'${code}'`))).toEqual([])
  })

  test('the texts of both languages have the same parameters', () => {
    const names = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort()
    for (const [key, text] of Object.entries(en)) expect([key, names(zh[key as keyof typeof zh])]).toEqual([key, names(text)])
  })

  test('every option can parse its own default, and is read somewhere', () => {
    for (const key of optionKeys) expect([key, options[key].parse(options[key].fallback)]).not.toEqual([key, null])
    // The server reads the options of prices through their table.
    const byTable: readonly string[] = Object.values(priceFieldOptions)
    expect(optionKeys.filter((key) => !byTable.includes(key) && !new RegExp(`\\b${key}\\b`).test(sources))).toEqual([])
  })

  test('every call of the contract is used by a test', () => {
    const folder = join(import.meta.dir, '../src')
    const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
    const text = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    expect(endpoints.map(([name]) => name).filter((name) => !text.includes(`contract.${name}`))).toEqual([])
  })
})
