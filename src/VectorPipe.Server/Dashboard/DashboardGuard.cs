using System.Net;
using System.Text;
using System.Text.Json.Serialization.Metadata;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using VectorPipe.Server.Access;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Dashboard.Answers;

namespace VectorPipe.Server.Dashboard;

/// <summary>Lets requests of the dashboard in, and turns what goes wrong into answers.</summary>
internal sealed class DashboardGuard(ServerState server)
{
    private const string Challenge = "Basic realm=\"vectorpipe-server\", charset=\"UTF-8\"";
    private const string Scheme = "Basic ";

    private readonly ServerState _server = server;

    /// <summary>A handler that runs only for those who may see the dashboard.</summary>
    /// <param name="run">The handler.</param>
    /// <param name="command">The command that a user must be allowed to give; null for any user.</param>
    public RequestDelegate Protect(Func<HttpContext, Task> run, string? command = null) => context => RunAsync(context, run, command);

    /// <summary>What the user of a request may do.</summary>
    public static AccessRights RightsOf(HttpContext context) => (AccessRights)context.Items[typeof(AccessRights)]!;

    /// <summary>Answers with an object.</summary>
    public static Task WriteAsync<T>(HttpContext context, T answer, JsonTypeInfo<T> type)
    {
        context.Response.Headers.CacheControl = "no-store";
        return context.Response.WriteAsJsonAsync(answer, type, cancellationToken: context.RequestAborted);
    }

    private async Task RunAsync(HttpContext context, Func<HttpContext, Task> run, string? command)
    {
        SetHeaders(context.Response.Headers);
        try
        {
            CheckHost(context.Request);
            CheckOrigin(context.Request);
            AccessUser user = Authenticate(context);
            if (command is not null && !user.Rights.MayRun(CommandInfo.NumberOf(command)))
                throw new DashboardException(StatusCodes.Status403Forbidden, new AccessDenial("command", command).Message(user.Name));
            context.Items[typeof(AccessRights)] = user.Rights;
            await run(context);
        }
        catch (DashboardException e)
        {
            await FailAsync(context, e.Status, e.Message);
        }
        catch (SearchOverloadedException e)
        {
            context.Response.Headers.RetryAfter = "1";
            await FailAsync(context, StatusCodes.Status503ServiceUnavailable, "BUSY " + e.Message);
        }
        catch (InvalidVectorException e)
        {
            await FailAsync(context, StatusCodes.Status400BadRequest, $"vector: {e.Message}");
        }
        catch (BadHttpRequestException e)
        {
            await FailAsync(context, e.StatusCode, e.Message);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The page has gone: nobody waits for an answer.
        }
        catch (Exception e)
        {
            ServerLog.RequestFailed(_server.Logger, e, context.Request.Path);
            await FailAsync(context, StatusCodes.Status500InternalServerError, $"internal error: {e.Message}");
        }
    }

    private static void SetHeaders(IHeaderDictionary headers)
    {
        headers.ContentSecurityPolicy = "default-src 'self'; frame-ancestors 'none'";
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
    }

    private static async Task FailAsync(HttpContext context, int status, string message)
    {
        // Half an answer must not look like a whole one.
        if (context.Response.HasStarted)
        {
            context.Abort();
            return;
        }

        context.Response.StatusCode = status;
        await WriteAsync(context, new ErrorAnswer(message), DashboardJson.Readable.ErrorAnswer);
    }

    // A page of another site, whose name was made to mean this machine (DNS rebinding), sends the name of its own site. The address to
    // listen on is no name.
    private static void CheckHost(HttpRequest request)
    {
        string host = request.Host.Host;
        if (!IPAddress.TryParse(host, out _) && !host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
            throw new DashboardException(StatusCodes.Status403Forbidden, $"Host: expected an IP address or localhost, found '{host}'");
    }

    // Pages of other sites can send requests, with the password that the browser knows. They may open the page, but not ask for work.
    private static void CheckOrigin(HttpRequest request)
    {
        string own = $"{request.Scheme}://{request.Host}";
        StringValues origin = request.Headers.Origin;
        if (origin.Count > 0 && !string.Equals(origin, own, StringComparison.OrdinalIgnoreCase))
            throw new DashboardException(StatusCodes.Status403Forbidden, $"Origin: expected {own}, found {origin}");
        string site = request.Headers["Sec-Fetch-Site"].ToString();
        if (request.Path.StartsWithSegments("/api") && site is "cross-site" or "same-site")
            throw new DashboardException(StatusCodes.Status403Forbidden, $"Sec-Fetch-Site: expected same-origin or none, found {site}");
    }

    // The default user needs no name. A page is looked at with the rights that the user has as a client.
    private AccessUser Authenticate(HttpContext context)
    {
        AccessList access = _server.Access;
        AccessUser? user = access.Anonymous;
        if (TryRead(context.Request, out string name, out byte[] password))
        {
            var client = new IPEndPoint(context.Connection.RemoteIpAddress ?? IPAddress.None, context.Connection.RemotePort);
            user = access.Authenticate(name.Length == 0 ? AccessUser.Default : name, password, client);
        }

        if (user is not null)
            return user;
        context.Response.Headers.WWWAuthenticate = Challenge;
        throw new DashboardException(
            StatusCodes.Status401Unauthorized, "Authorization: expected a user of the server and its password, found others or none");
    }

    private static bool TryRead(HttpRequest request, out string name, out byte[] password)
    {
        (name, password) = ("", []);
        string header = request.Headers.Authorization.ToString();
        if (!header.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase))
            return false;
        var bytes = new byte[header.Length];
        if (!Convert.TryFromBase64String(header[Scheme.Length..].Trim(), bytes, out int length))
            return false;
        int colon = bytes.AsSpan(0, length).IndexOf((byte)':');
        if (colon < 0)
            return false;
        (name, password) = (Encoding.UTF8.GetString(bytes.AsSpan(0, colon)), bytes[(colon + 1)..length]);
        return true;
    }
}
