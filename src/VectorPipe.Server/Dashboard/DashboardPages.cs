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
            context => DashboardGuard.WriteAsync(context, sets.Read(), DashboardJson.Readable.SetsAnswer)));
        host.MapGet(Api + "element", guard.Protect(searches.DrawAsync));
        host.MapGet(Api + "live", guard.Protect(live.StreamAsync));
        foreach ((string name, Func<HttpContext, Task> run) in new (string, Func<HttpContext, Task>)[]
        {
            ("search", searches.SearchAsync), ("curve", searches.CurveAsync), ("trace", searches.TraceAsync),
        })
        {
            host.MapMethods(Api + name, [HttpMethods.Get, HttpMethods.Post], guard.Protect(run));
        }

        host.MapGet("/api/{**rest}", guard.Protect(context => throw new DashboardException(
            StatusCodes.Status404NotFound,
            $"path: expected sets, element, search, curve, trace or live of {Api}, found {context.Request.Path}")));
    }
}
