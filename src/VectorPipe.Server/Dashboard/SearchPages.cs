using System.Text;
using Microsoft.AspNetCore.Http;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Dashboard.Answers;
using VectorPipe.Server.Figures;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Dashboard;

/// <summary>Searches for a page: beside the true answer, at several target recalls, or with a trace.</summary>
internal sealed class SearchPages(ServerState server) : IDisposable
{
    private const int MostRunning = 2;
    private const int MostWaiting = 16;
    private const int MostAttributeLetters = 300;

    private static readonly float[] _targets = [0.5f, 0.7f, 0.8f, 0.9f, 0.95f, 0.98f, 0.99f, 0.999f, 0.9999f];

    private readonly ServerState _server = server;
    private readonly WorkGate _gate = new(MostRunning, MostWaiting);

    /// <summary>The hits of a query beside the exact ones.</summary>
    public async Task SearchAsync(HttpContext context)
    {
        SearchAnswer answer = await RunAsync(context, async query =>
        {
            SimilarityAnswer found = await query.SearchAsync(query.Recall, context.RequestAborted);
            SimilarityAnswer exact = await query.SearchExactAsync(context.RequestAborted);
            Truth? truth = exact.Cost.EndedBy == SearchEnd.Deadline ? null : new Truth(exact.Hits);
            return new SearchAnswer(
                query.Recall,
                FactsOf(found.Hits, truth, query.Set.Settings.Metric),
                FactsOf(exact.Hits, truth, query.Set.Settings.Metric),
                truth?.RecallOf(found.Hits),
                SearchCost.Of(found.Cost),
                SearchCost.Of(exact.Cost));
        });
        await DashboardGuard.WriteAsync(context, answer, DashboardJson.Readable.SearchAnswer);
    }

    /// <summary>The recall and the reads of a query at several target recalls.</summary>
    public async Task CurveAsync(HttpContext context)
    {
        CurveAnswer answer = await RunAsync(context, async query =>
        {
            SimilarityAnswer exact = await query.SearchExactAsync(context.RequestAborted);
            Truth? truth = exact.Cost.EndedBy == SearchEnd.Deadline ? null : new Truth(exact.Hits);
            var points = new List<CurvePoint>(_targets.Length);
            foreach (float target in _targets)
            {
                SimilarityAnswer found = await query.SearchAsync(target, context.RequestAborted);
                points.Add(new CurvePoint(target, truth?.RecallOf(found.Hits), SearchCost.Of(found.Cost)));
            }

            return new CurveAnswer(points);
        });
        await DashboardGuard.WriteAsync(context, answer, DashboardJson.Readable.CurveAnswer);
    }

    /// <summary>The events of a query.</summary>
    public async Task TraceAsync(HttpContext context)
    {
        TraceAnswer answer = await RunAsync(context, async query =>
        {
            var trace = new SearchTrace();
            (int count, SearchStatistics cost) = await query.TraceAsync(trace, context.RequestAborted);
            return new TraceAnswer(count, query.Recall, SearchCost.Of(cost), TraceEvents.Of(trace));
        });
        await DashboardGuard.WriteAsync(context, answer, DashboardJson.Readable.TraceAnswer);
    }

    /// <summary>An element by chance.</summary>
    public async Task DrawAsync(HttpContext context)
    {
        using HeldSet held = Find(context, QueryReader.ReadOnly(context, "set"));
        string[] names = await _gate.RunAsync(() => DrawAsync(held.Set, context.RequestAborted), context.RequestAborted);
        await DashboardGuard.WriteAsync(context, new ElementAnswer(names.FirstOrDefault()), DashboardJson.Readable.ElementAnswer);
    }

    public void Dispose() => _gate.Dispose();

    // It goes over all names, as VRANDMEMBER does, and takes a place among the scans.
    private async Task<string[]> DrawAsync(VectorSet set, CancellationToken stop)
    {
        await _server.Scans.WaitAsync(stop);
        try
        {
            return await VectorReads.DrawAsync(set, 1, stop);
        }
        finally
        {
            _server.Scans.Release();
        }
    }

    private async Task<T> RunAsync<T>(HttpContext context, Func<PreparedQuery, Task<T>> search)
    {
        SearchQuery query = await QueryReader.ReadAsync(context);
        using HeldSet held = Find(context, query.Set ?? throw new DashboardException(
            StatusCodes.Status400BadRequest, "set: expected the name of a set, found none"));
        PreparedQuery prepared = await PreparedQuery.OfAsync(query, held.Set, _server, context.RequestAborted);
        return await _gate.RunAsync(() => search(prepared), context.RequestAborted);
    }

    // A set that the user may not read is none.
    private HeldSet Find(HttpContext context, string name)
    {
        if (SetNames.Find(_server.Sets, name) is { } held)
        {
            if (DashboardGuard.RightsOf(context).MayUse(held.Set.Settings.Name, isWrite: false))
                return held;
            held.Dispose();
        }

        throw new DashboardException(StatusCodes.Status404NotFound, $"set: expected the name of a set, found '{name}'");
    }

    private static HitFacts[] FactsOf(IReadOnlyList<CollectionHit<string>> hits, Truth? truth, DistanceMetric metric) =>
        [.. hits.Select(hit => new HitFacts(hit.Key, ScoreScale.Of(metric, hit.Score), truth?.Counts(hit), AttributesOf(hit)))];

    private static string? AttributesOf(CollectionHit<string> hit)
    {
        if (hit.Payload.IsEmpty)
            return null;
        string text = Encoding.UTF8.GetString(hit.Payload.Span);
        return text.Length <= MostAttributeLetters ? text : text[..MostAttributeLetters] + "…";
    }
}
