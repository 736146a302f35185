/** The deletion of a brand from Postgres, where one statement must not take longer than a statement may. */
import { Brands, BrandStore } from "@lead-signals/domain"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { openNodes } from "./Nodes.ts"

describe.skipIf(isWithoutPostgres)("the deletion of a brand on Postgres", () => {
  let opened: Awaited<ReturnType<typeof openNodes>>
  beforeAll(async () => {
    opened = await openNodes(1)
  })
  afterAll(() => opened.close())

  it("removes the positions of many leads in the feed of changes some at a time [DEL-1]", async () => {
    const { client, nodes, rows, schema } = opened
    const { id } = await nodes[0]!.runPromise(Brands.create("B"))
    await client.query(
      `INSERT INTO changed_lead (brand_id, lead_id, position, removed_at) SELECT ${id}, n, n, n FROM generate_series(1, 12000) n;
       CREATE TABLE deleted_rows (n bigint);
       CREATE FUNCTION count_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO ${schema}.deleted_rows SELECT count(*) FROM removed; RETURN NULL; END $$;
       CREATE TRIGGER counted AFTER DELETE ON changed_lead REFERENCING OLD TABLE AS removed
         FOR EACH STATEMENT EXECUTE FUNCTION count_removed()`
    )
    const isGone = await nodes[0]!.runPromise(
      Effect.flatMap(BrandStore, (store) =>
        Effect.zipRight(store.startDeletion(id, 1), store.finishDeletion(id))
      )
    )
    expect(isGone).toBe(true)
    expect(await rows("SELECT n FROM deleted_rows")).toEqual([{ n: 5000 }, { n: 5000 }, { n: 2000 }])
    expect(
      await rows(`SELECT deleted_at FROM brand WHERE id = ${id} AND deleted_at IS NOT NULL`)
    ).toHaveLength(1)
  })
})
