/** The form in which a store keeps the JSON of leads, and the version that says which view made it. */
import { type Lead, leadViewVersion, RenderedLeads } from "@lead-signals/domain"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const lead: Lead = {
  id: 7,
  brandId: "1",
  extId: "p",
  profile: {
    name: "Ada",
    headline: "Engineer",
    username: "ada",
    title1: "Engineer",
    liProfileUrl: "https://network.example/in/ada",
    profileImgUrl: null,
    company: { id: 12, name: "Northwind", username: null, description: null, logo: null } as never
  },
  profileTimes: {},
  signalId: "3",
  signalIds: ["3", "4"],
  qualified: true,
  exported: false,
  isEmployee: false,
  score1: 0.5,
  createdAt: 0,
  updatedAt: 1
} as unknown as Lead

describe("the JSON of a lead that a store keeps", () => {
  it("is restored with the id, for every version [LIST-8]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat(), fc.string(), (version, id, name) => {
        const { keep, restore } = RenderedLeads.keptForm(version)
        const rendered = RenderedLeads.renderLead({ ...lead, id, profile: { ...lead.profile, name } })
        const other = RenderedLeads.renderLead({ ...lead, id: 0, profile: { ...lead.profile, name } })
        expect(restore(id, keep(other))).toBe(rendered)
      })
    )
  })

  it("is none where another version of the view made it, or nothing is kept [LIST-8]", () => {
    const versions = [1, 2, 10, 11]
    for (const made of versions) {
      const kept = RenderedLeads.keptForm(made).keep(RenderedLeads.renderLead(lead))
      for (const read of versions.filter((each) => each !== made))
        expect(RenderedLeads.keptForm(read).restore(7, kept)).toBeNull()
    }
    expect(RenderedLeads.restore(7, null)).toBeNull()
  })

  it("is of a view that changes with its version alone [LIST-8]", () => {
    // When this fails, the view has changed: raise `leadViewVersion`, and take the new text here.
    expect([leadViewVersion, RenderedLeads.renderLead(lead)]).toMatchInlineSnapshot(`
      [
        1,
        "{"id":7,"extId":"p","name":"Ada","headline":"Engineer","username":"ada","title1":"Engineer","liProfileUrl":"https://network.example/in/ada","profileImgUrl":null,"leadCompany":{"id":12,"name":"Northwind"},"signalId":"3","signalIds":["3","4"],"qualified":true,"exported":false,"isEmployee":false,"score1":0.5,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.001Z"}",
      ]
    `)
  })
})
