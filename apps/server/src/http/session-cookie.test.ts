import { describe, expect, test } from 'bun:test'
import { readSessionCookie, readVisitorCookie } from './session-cookie.ts'

const http = { isSecure: false, isConsole: false, basePath: '' }
const https = { isSecure: true, isConsole: false, basePath: '' }
const otherConsole = { isSecure: true, isConsole: true, basePath: '' }

describe.each([
  ['session', readSessionCookie],
  ['visitor', readVisitorCookie],
] as const)('the cookie %s', (name, read) => {
  test('counts over https only under the name that binds it to the host', () => {
    expect(read(`${name}=planted`, https)).toBeNull()
    expect(read(`${name}=planted; __Host-${name}=own`, https)).toBe('own')
    expect(read(`__Host-${name}=own; ${name}=planted`, https)).toBe('own')
    expect(read(`__host-${name}=planted`, https)).toBeNull()
  })

  test('below a path is not sent to other paths of the host, and has another prefix', () => {
    const below = { ...https, basePath: '/sluice' }
    expect(read(`${name}=planted; __Host-${name}=other`, below)).toBeNull()
    expect(read(`__Secure-${name}=own`, below)).toBe('own')
    expect(read(`__Secure-${name}=planted`, https)).toBeNull()
  })

  test('has its plain name over http', () => {
    expect(read(`a=b; ${name}=own`, http)).toBe('own')
    expect(read(`${name}=`, http)).toBeNull()
  })

  test('of another console has a name of its own', () => {
    expect(read(`${name}=planted; __Host-${name}=planted`, otherConsole)).toBeNull()
    expect(read(`__Host-console-${name}=own`, otherConsole)).toBe('own')
    expect(read(`__Host-console-${name}=own`, https)).toBeNull()
  })
})
