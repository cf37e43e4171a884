using System.Net;
using Microsoft.AspNetCore.Http;

namespace VectorPipe.Server.Health;

/// <summary>Whether a request was meant for this machine.</summary>
internal static class HostCheck
{
    /// <summary>What is wrong with the host that a request names; null for nothing.</summary>
    /// <remarks>
    /// A page of another site, whose name was made to mean this machine (DNS rebinding), sends the name of its own site. The address to
    /// listen on is no name.
    /// </remarks>
    public static string? FindError(HttpRequest request)
    {
        string host = request.Host.Host;
        return IPAddress.TryParse(host, out _) || host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            ? null
            : $"Host: expected an IP address or localhost, found '{host}'";
    }
}
