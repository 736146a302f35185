/** The operator's calls about campaigns and their snapshots. */
import {
  Brands,
  Calendar,
  campaignPostView,
  campaignSeriesView,
  Campaigns,
  CampaignStore,
  InvalidParameter,
  MetricsQueries,
  metricsView,
  NewCampaign,
  Parameters,
  PostId,
  PostTotals,
  Renaming,
  SeriesQueries,
  textLimits
} from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Clock, Effect, Schema } from "effect"
import { created, data, list, warningsMeta } from "../contract/Envelopes.ts"
import { field, parameter, text } from "../contract/Fields.ts"
import { sameAs } from "../contract/FieldDescriptions.ts"
import { MetricsAnswer, MetricsBody } from "../contract/MetricsSchemas.ts"
import { CampaignBody } from "../contract/OperatorSchemas.ts"
import { CampaignPostBody, CampaignSeriesBody, spanParameters } from "../contract/SeriesSchemas.ts"
import * as Target from "../Target.ts"
import { listOfBrand } from "./BrandList.ts"
import { metricsParameters } from "./Leads.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofBrand, ofCampaign, pathParameter } from "./Paths.ts"
import { metaOf, namedView } from "./Views.ts"

const isPostId = Schema.is(PostId)

/** /operator/brands/:brandId/campaigns. Putting a snapshot needs the scope ingest, reading read, the rest admin. [MET-6, MET-7] */
export const campaigns = {
  createCampaign: operatorEndpoint(
    HttpApiEndpoint.post("createCampaign", "/operator/brands/:brandId/campaigns")
      .setPath(ofBrand)
      .setPayload(NewCampaign)
      .addSuccess(data(CampaignBody), created),
    {
      scope: "admin",
      summary: "Create a campaign",
      description: "A campaign begins without snapshots.",
      body: "The campaign",
      fields: { name: ["Name of the campaign", "Spring launch"] },
      answer: "The new campaign",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const { name } = yield* body
          return { data: namedView(yield* Campaigns.create(path.brandId, name)) }
        })
    }
  ),
  listCampaigns: operatorEndpoint(
    HttpApiEndpoint.get("listCampaigns", "/operator/brands/:brandId/campaigns")
      .setPath(ofBrand)
      .addSuccess(list(CampaignBody)),
    {
      scope: "read",
      summary: "The brand's campaigns",
      description: "In order of creation.",
      answer: "The brand's campaigns",
      handle: ({ path }) =>
        listOfBrand(path.brandId, (id) => Effect.flatMap(CampaignStore, (store) => store.list(id)), namedView)
    }
  ),
  renameCampaign: operatorEndpoint(
    HttpApiEndpoint.patch("renameCampaign", "/operator/brands/:brandId/campaigns/:id")
      .setPath(ofCampaign)
      .setPayload(Renaming)
      .addSuccess(data(CampaignBody)),
    {
      scope: "admin",
      summary: "Rename a campaign",
      description: "Its snapshots stay as they are.",
      body: "The new name",
      fields: { name: ["New name of the campaign", "Spring launch"] },
      answer: "The campaign as it is now",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const { name } = yield* body
          return { data: namedView(yield* Campaigns.rename(path.brandId, path.id, name)) }
        })
    }
  ),
  deleteCampaign: operatorEndpoint(
    HttpApiEndpoint.del("deleteCampaign", "/operator/brands/:brandId/campaigns/:id").setPath(ofCampaign),
    {
      scope: "admin",
      summary: "Delete a campaign with its snapshots",
      description: "With its snapshots. Leads are not touched.",
      answer: "It is deleted",
      handle: ({ path }) => Campaigns.remove(path.brandId, path.id)
    }
  ),
  operatorMetrics: operatorEndpoint(
    HttpApiEndpoint.get("operatorMetrics", "/operator/brands/:brandId/campaigns/:id/metrics")
      .setPath(ofCampaign)
      .setUrlParams(Schema.Struct(metricsParameters))
      .addSuccess(MetricsAnswer),
    {
      scope: "read",
      summary: "A campaign's engagement metrics",
      description:
        "As the brand's own key reads them: cumulative totals of the latest snapshot in the span; all null where there is none.",
      answer: "The campaign's totals",
      handle: ({ path, request }) =>
        Effect.gen(function* () {
          const { ignored, span } = yield* MetricsQueries.read(Target.parametersOf(request.url))
          const { id: brandId } = yield* Brands.get(path.brandId)
          const metrics = yield* Campaigns.metrics(brandId, path.id, span)
          return { data: metricsView(path.id, metrics), ...metaOf(ignored) }
        })
    }
  ),
  campaignSeries: operatorEndpoint(
    HttpApiEndpoint.get("campaignSeries", "/operator/brands/:brandId/campaigns/:id/series")
      .setPath(ofCampaign)
      .setUrlParams(
        Schema.Struct({
          ...spanParameters(["day", "week"]),
          postId: parameter({ type: "string", "x-pii": true }, "The figures of this post alone")
        })
      )
      .addSuccess(Schema.Struct({ data: field(CampaignSeriesBody, "The series"), meta: warningsMeta })),
    {
      scope: "read",
      summary: "A campaign's figures over time",
      description:
        "Cumulative figures at the end of each day or week, of the campaign or of one post: the sum over its posts, each with its last reading up to then.",
      answer: "The series",
      handle: ({ path, request }) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const query = yield* SeriesQueries.readCampaign(Target.parametersOf(request.url), now)
          const snapshots = yield* Campaigns.series(path.brandId, path.id, query)
          return {
            data: campaignSeriesView(path.id, query, snapshots),
            ...metaOf(query.ignored)
          }
        })
    }
  ),
  listPosts: operatorEndpoint(
    HttpApiEndpoint.get("listPosts", "/operator/brands/:brandId/campaigns/:id/posts")
      .setPath(ofCampaign)
      .addSuccess(list(CampaignPostBody)),
    {
      scope: "read",
      summary: "A campaign's posts with their last totals",
      description: `Those with the most impressions first, at most ${Campaigns.maxPosts}.`,
      answer: "The posts",
      handle: ({ path }) =>
        Effect.map(Campaigns.posts(path.brandId, path.id), (posts) => ({ data: posts.map(campaignPostView) }))
    }
  ),
  putSnapshot: operatorEndpoint(
    HttpApiEndpoint.put("putSnapshot", "/operator/brands/:brandId/campaigns/:id/posts/:postId/snapshots/:day")
      .setPath(
        Schema.Struct({
          ...ofCampaign.fields,
          postId: pathParameter("The post's id, as you name it", "post-1", {
            type: "string",
            minLength: 1,
            maxLength: textLimits.externalId,
            "x-pii": true
          }),
          day: text("YYYY-MM-DD", "2026-01-31")
        })
      )
      .setPayload(PostTotals)
      .addSuccess(data(MetricsBody)),
    {
      scope: "ingest",
      audited: "none",
      summary: "Set one post's cumulative totals of a day; returns the campaign's snapshot of that day",
      description: "Sets one post's cumulative totals of a day, and replaces those that were set before.",
      body: "The post's totals up to that day",
      fields: sameAs("", MetricsBody.fields),
      answer: "The campaign's totals of that day",
      handle: ({ body, path }) =>
        Effect.gen(function* () {
          const { brandId, day, id, postId } = path
          if (!isPostId(postId)) {
            return yield* Parameters.invalid(
              "postId",
              `takes a text of 1 to ${textLimits.externalId} characters, in well-formed Unicode without U+0000`
            )
          }
          if (!Calendar.isDate(day)) {
            return yield* new InvalidParameter({
              parameter: "day",
              message: `day ${Parameters.takesDate}.`
            })
          }
          const totals = yield* body
          const snapshot = yield* Campaigns.putReading(brandId, id, { postId, day, totals })
          return { data: metricsView(id, snapshot) }
        })
    }
  )
}
