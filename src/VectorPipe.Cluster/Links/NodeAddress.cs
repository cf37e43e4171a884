using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace VectorPipe.Cluster.Links;

/// <summary>Where a node is reached: a name or an IP address, and a port.</summary>
internal readonly record struct NodeAddress(string Host, int Port)
{
    /// <summary>The forms of an address, for messages.</summary>
    public const string Forms = "host, host:port, an IPv6 address or [IPv6 address]:port, with a port of 1 to 65535";

    /// <summary>Reads an address; null if it is none.</summary>
    /// <param name="text">The address, in one of its forms.</param>
    /// <param name="port">The port of one that has none.</param>
    public static NodeAddress? Find(string text, int port)
    {
        if (text.StartsWith('['))
        {
            int end = text.IndexOf(']', StringComparison.Ordinal);
            return end > 0 && FindVersion6(text[1..end]) is { } inBrackets ? WithPort(inBrackets, text.AsSpan(end + 1), port) : null;
        }

        if (FindVersion6(text) is { } address)
            return new NodeAddress(address, port);
        int colon = text.IndexOf(':', StringComparison.Ordinal);
        string host = colon < 0 ? text : text[..colon];
        return Uri.CheckHostName(host) is UriHostNameType.Dns or UriHostNameType.IPv4
            ? WithPort(host, text.AsSpan(host.Length), port)
            : null;
    }

    public override string ToString()
    {
        string host = Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host;
        return string.Create(CultureInfo.InvariantCulture, $"{host}:{Port}");
    }

    private static string? FindVersion6(string text) =>
        !text.Contains('[', StringComparison.Ordinal) && IPAddress.TryParse(text, out IPAddress? address)
            && address.AddressFamily == AddressFamily.InterNetworkV6
            ? address.ToString()
            : null;

    private static NodeAddress? WithPort(string host, ReadOnlySpan<char> rest, int port)
    {
        if (rest.IsEmpty)
            return new NodeAddress(host, port);
        bool isPort = ushort.TryParse(rest[1..], NumberStyles.None, CultureInfo.InvariantCulture, out ushort named) && named > 0;
        return rest[0] == ':' && isPort ? new NodeAddress(host, named) : null;
    }
}
