import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAppendSafe, makeLogRoom, walFrameBytes } from './log-room.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-log-room-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['ext4', 0xef53, true],
  ['XFS', 0x58465342, true],
  ['Btrfs', 0x9123683e, true],
  ['Btrfs, as a signed number', 0x9123683e | 0, true],
  ['overlayfs', 0x794c7630, true],
  ['FUSE and virtiofs', 0x65735546, false],
  ['9p', 0x01021997, false],
  ['NFS', 0x6969, false],
  ['SMB', 0xff534d42, false],
  ['SMB 2', 0xfe534d42, false],
  ['one that is not known', 1, false],
])('zeros are appended to a log that is in use only where appends overwrite nothing: %s', (_, type, isSafe) => {
  expect(isAppendSafe(type)).toBe(isSafe)
})

test('a log is grown by zeros exactly where the file system of its folder is safe', () => {
  const log = join(folder, 'x.db-wal')
  writeFileSync(log, 'commits')
  makeLogRoom(log, 10)
  expect(statSync(log).size > 10 * walFrameBytes).toBe(isAppendSafe(statfsSync(folder).type))
})
