import { expect, test } from 'bun:test'
import { gatewayPath } from './gateway-address.ts'

const path = '/v1/tasks/1/content?index=0'

test.each([
  ['', path, path],
  ['/sluice', path, `/sluice${path}`],
  ['/sluice', `/sluice${path}`, `/sluice${path}`],
  ['/v', path, `/v${path}`],
  ['https://ai.example.com', path, `https://ai.example.com${path}`],
  ['https://ai.example.com/sluice', path, `https://ai.example.com/sluice${path}`],
  ['https://ai.example.com/sluice', `/sluice${path}`, `https://ai.example.com/sluice${path}`],
])('at the gateway %p the path %p is %p', (gateway, received, address) => expect(gatewayPath(received, gateway)).toBe(address))
