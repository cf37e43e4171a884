using System.Collections.Frozen;
using System.Reflection;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace VectorPipe.Server.Dashboard;

/// <summary>The files of the page, which are resources of the program.</summary>
internal static class PageFiles
{
    private const string Folder = "dashboard/";
    private const string FirstPage = "index.html";

    private static readonly FrozenDictionary<string, string> _types = FrozenDictionary.ToFrozenDictionary(
    [
        KeyValuePair.Create(".html", "text/html; charset=utf-8"),
        KeyValuePair.Create(".css", "text/css; charset=utf-8"),
        KeyValuePair.Create(".js", "text/javascript; charset=utf-8"),
        KeyValuePair.Create(".svg", "image/svg+xml"),
    ]);

    public static void Map(IEndpointRouteBuilder host, DashboardGuard guard)
    {
        var program = Assembly.GetExecutingAssembly();
        foreach (string resource in program.GetManifestResourceNames())
        {
            if (!resource.StartsWith(Folder, StringComparison.Ordinal))
                continue;
            using Stream stream = program.GetManifestResourceStream(resource)!;
            byte[] bytes = new byte[stream.Length];
            stream.ReadExactly(bytes);
            string name = resource[Folder.Length..];
            string type = _types[Path.GetExtension(name)];
            string tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(bytes).AsSpan(0, 16))}\"";
            host.MapGet(
                name == FirstPage ? "/" : "/dashboard/" + name, guard.Protect(context => WriteAsync(context, type, tag, bytes)));
        }
    }

    // A browser asks each time whether it has the present one: a page of one version must not meet the API of another.
    private static async Task WriteAsync(HttpContext context, string type, string tag, byte[] bytes)
    {
        context.Response.Headers.CacheControl = "no-cache";
        context.Response.Headers.ETag = tag;
        if (context.Request.Headers.IfNoneMatch == tag)
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        context.Response.ContentType = type;
        context.Response.ContentLength = bytes.Length;
        await context.Response.Body.WriteAsync(bytes, context.RequestAborted);
    }
}
