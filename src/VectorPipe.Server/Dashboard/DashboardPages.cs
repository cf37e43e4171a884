using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace VectorPipe.Server.Dashboard;

/// <summary>The dashboard over HTTP: its page, and the answers behind it under /api/v1.</summary>
internal static class DashboardPages
{
    private const string Api = "/api/v1/";

    public static void Map(WebApplication host, ServerState server)
    {
        var guard = new DashboardGuard(server);
        var sets = new SetsReader(server);
        var searches = new SearchPages(server);
        var live = new LivePages(server, host.Lifetime.ApplicationStopping);
        host.Lifetime.ApplicationStopped.Register(searches.Dispose);
        PageFiles.Map(host, guard);
        host.MapGet(Api + "sets", guard.Protect(
            context => DashboardGuard.WriteAsync(
                context, sets.Read(DashboardGuard.RightsOf(context)), DashboardJson.Readable.SetsAnswer),
            "vinfo"));
        host.MapGet(Api + "cluster", guard.Protect(
            context => DashboardGuard.WriteAsync(
                context, ClusterReader.Read(server, DashboardGuard.RightsOf(context)), DashboardJson.Readable.ClusterAnswer),
            "vinfo"));
        host.MapGet(Api + "element", guard.Protect(searches.DrawAsync, "vrandmember"));
        host.MapGet(Api + "live", guard.Protect(live.StreamAsync, "info"));
        foreach ((string name, Func<HttpContext, Task> run) in new (string, Func<HttpContext, Task>)[]
        {
            ("search", searches.SearchAsync), ("curve", searches.CurveAsync), ("trace", searches.TraceAsync),
        })
        {
            host.MapMethods(Api + name, [HttpMethods.Get, HttpMethods.Post], guard.Protect(run, "vsim"));
        }

        host.MapGet("/api/{**rest}", guard.Protect(context => throw new DashboardException(
            StatusCodes.Status404NotFound,
            $"path: expected sets, cluster, element, search, curve, trace or live of {Api}, found {context.Request.Path}")));
    }
}
