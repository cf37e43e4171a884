using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Servers;

/// <summary>The set that is searched: elements are row numbers.</summary>
internal static class FilledSet
{
    private const int Pipeline = 64;
    private const int ReportEvery = 10_000;

    // How soon a node of a cluster is asked again whether it has what was written at another one.
    private static readonly TimeSpan _betweenLooks = TimeSpan.FromMilliseconds(50);

    /// <summary>Adds all vectors and makes the index of them, unless the set has as many elements already.</summary>
    public static void Prepare(
        ServerBenchArguments arguments, ToolConsole console, VectorMatrix vectors, CancellationToken cancellationToken)
    {
        using var connection = new ServerConnection(arguments.Ports.First());
        long count = Count(connection, arguments.Set);
        UsageException.Require(
            count == 0 || count == vectors.Count, "--set", $"a set of {count} elements", $"none, or one of {vectors.Count}");
        if (count > 0)
            return;
        string metric = arguments.Metric == "l2" ? "L2" : arguments.Metric == "ip" ? "IP" : "COSINE";
        int waiting = 0;
        for (int row = 0; row < vectors.Count; row++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            connection.Add(ServerConnection.Encode(
            [
                "VADD"u8.ToArray(), Encoding.UTF8.GetBytes(arguments.Set), "FP32"u8.ToArray(), ToFloats(vectors, row),
                Encoding.UTF8.GetBytes(row.ToString(CultureInfo.InvariantCulture)),
                .. metric == "COSINE" ? (byte[][])[] : ["XDISTANCE_METRIC"u8.ToArray(), Encoding.UTF8.GetBytes(metric)],
            ]));
            waiting++;
            if (waiting < Pipeline && row < vectors.Count - 1)
                continue;
            connection.Flush();
            TakeAll(connection, ref waiting);
            if (!arguments.Quiet && (row + 1) % ReportEvery < Pipeline)
                console.WriteLine($"[load] {row + 1} of {vectors.Count}");
        }

        foreach (int port in arguments.Ports)
            Compact(port, arguments.Set, vectors.Count, cancellationToken);
    }

    /// <summary>A vector as float32.</summary>
    public static byte[] ToFloats(VectorMatrix vectors, int row)
    {
        ReadOnlySpan<byte> bytes = vectors.Row(row);
        float[] components = new float[vectors.Dimension];
        for (int i = 0; i < components.Length; i++)
        {
            components[i] = vectors.ElementType switch
            {
                VectorElementType.Float32 => MemoryMarshal.Cast<byte, float>(bytes)[i],
                VectorElementType.Float16 => (float)MemoryMarshal.Cast<byte, Half>(bytes)[i],
                VectorElementType.UInt8 => bytes[i],
                _ => (sbyte)bytes[i],
            };
        }

        return MemoryMarshal.AsBytes<float>(components).ToArray();
    }

    // Each node of a cluster makes the index of its own replica, of all elements.
    private static void Compact(int port, string set, long elements, CancellationToken cancellationToken)
    {
        using var connection = new ServerConnection(port);
        while (Count(connection, set) < elements)
        {
            cancellationToken.WaitHandle.WaitOne(_betweenLooks);
            cancellationToken.ThrowIfCancellationRequested();
        }

        connection.Call("XCOMPACT", set);
    }

    private static long Count(ServerConnection connection, string set)
    {
        connection.Call("VCARD", set);
        return connection.Numbers[0];
    }

    private static void TakeAll(ServerConnection connection, ref int waiting)
    {
        while (waiting > 0)
        {
            if (!connection.TryTake(out string? error))
                connection.Receive();
            else if (error is not null)
                throw new IOException($"The server: expected that a vector is added, found '{error}'.");
            else
                waiting--;
        }
    }
}
