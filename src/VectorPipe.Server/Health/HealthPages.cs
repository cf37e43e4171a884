using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Health;

/// <summary>What whoever operates a server asks it over HTTP: whether it lives, whether it is well, and its figures.</summary>
internal static class HealthPages
{
    public static void Map(WebApplication host, ServerState server)
    {
        host.MapGet("/healthz", (RequestDelegate)(context => context.Response.WriteAsync("ok\n")));
        host.MapGet("/readyz", (RequestDelegate)(context => WriteReadinessAsync(context, server)));
        host.MapGet("/metrics", (RequestDelegate)(context => WriteMetricsAsync(context, server)));
    }

    // Not ready: a set takes no writes, or cannot take in those that wait, or has not all that its cluster has. Without the database of a
    // cluster, nodes still answer reads.
    private static Task WriteReadinessAsync(HttpContext context, ServerState server)
    {
        var defects = new StringBuilder();
        foreach ((SetSettings settings, CollectionStatus status) in Statuses(server))
        {
            if (status.IsReadOnly)
                defects.Append(CultureInfo.InvariantCulture, $"{settings.LocalName}: read-only: {status.WriteError?.Message}\n");
            else if (status.RebuildError is { } error)
                defects.Append(CultureInfo.InvariantCulture, $"{settings.LocalName}: maintenance failed: {error.Message}\n");
        }

        if (server is { Options.Cluster: not null, Router: null })
            defects.Append("joining its cluster\n");
        foreach (Commands.ReplicaState replica in server.Router?.Replicas ?? [])
        {
            string name = SetSettings.LocalNameOf(replica.Name, replica.Shard);
            if (replica.Failure is not null)
                defects.Append(CultureInfo.InvariantCulture, $"{name}: {replica.Failure}\n");
            else if (!replica.IsServing)
                defects.Append(CultureInfo.InvariantCulture, $"{name}: at position {replica.Applied} of {replica.Head}\n");
        }

        context.Response.StatusCode = defects.Length == 0 ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable;
        return context.Response.WriteAsync(defects.Length == 0 ? "ok\n" : defects.ToString());
    }

    // In the text format of Prometheus.
    private static Task WriteMetricsAsync(HttpContext context, ServerState server)
    {
        var text = new StringBuilder();
        void Write(string name, string type, string help, params IEnumerable<(string Labels, double Value)> values)
        {
            text.Append(CultureInfo.InvariantCulture, $"# HELP {name} {help}\n# TYPE {name} {type}\n");
            foreach ((string labels, double value) in values)
                text.Append(CultureInfo.InvariantCulture, $"{name}{labels} {value:R}\n");
        }

        Write("vectorpipe_server_commands_total", "counter", "Commands of clients.", ("", server.CommandsProcessed));
        Write("vectorpipe_server_connections_total", "counter", "Connections that were accepted.", ("", server.ConnectionsReceived));
        Write("vectorpipe_server_refused_connections_total", "counter", "Connections beyond maxclients.", ("", server.ConnectionsRefused));
        Write("vectorpipe_server_connections", "gauge", "Connections that are open.", ("", server.Clients.Count));
        Write("vectorpipe_server_searches_total", "counter", "Searches of clients that were answered.", ("", server.Searches.Searches));
        Write("vectorpipe_server_search_reads_total", "counter", "Their reads from the device.", ("", server.Searches.Reads));
        Write("vectorpipe_server_refused_searches_total", "counter", "Searches that were refused: BUSY.", ("", server.Searches.Refused));
        Write("vectorpipe_server_sets", "gauge", "Vector sets.", ("", server.Sets.Count));
        Write("process_cpu_seconds_total", "counter", "Processor time.", ("", Environment.CpuUsage.TotalTime.TotalSeconds));
        Write("process_resident_memory_bytes", "gauge", "Resident memory.", ("", Environment.WorkingSet));
        (string Labels, CollectionStatus Status)[] sets =
            [.. Statuses(server).Select(one => (LabelsOf(one.Settings.Name, one.Settings.Shard), one.Status))];
        void WriteOfSets(string name, string help, Func<CollectionStatus, double> value) =>
            Write("vectorpipe_set_" + name, "gauge", help, sets.Select(one => (one.Labels, value(one.Status))));
        WriteOfSets("elements", "Elements of a set.", status => status.Count);
        WriteOfSets("waiting", "Writes that wait in memory.", status => status.Waiting);
        WriteOfSets("memory_bytes", "Memory of a set.", status => status.MemoryBytes);
        WriteOfSets("read_only", "1 after an error of the disk.", status => status.IsReadOnly ? 1 : 0);
        if (server.Router is { } router)
        {
            Write(
                "vectorpipe_cluster_alive_nodes", "gauge", "Nodes of the cluster that are alive.",
                ("", router.Nodes.Count(node => node.IsAlive)));
            Write(
                "vectorpipe_cluster_lag", "gauge", "Records of the log that a replica on this node has not applied.",
                router.Replicas.Select(one => (LabelsOf(one.Name, one.Shard), (double)(one.Head - one.Applied))));
            Write(
                "vectorpipe_cluster_hedges_total", "counter", "Reads passed on that a second node was asked for, as the first was late.",
                ("", router.Hedges));
        }

        context.Response.ContentType = "text/plain; version=0.0.4; charset=utf-8";
        return context.Response.WriteAsync(text.ToString());
    }

    private static IEnumerable<(SetSettings Settings, CollectionStatus Status)> Statuses(ServerState server)
    {
        foreach (string name in server.Sets.Names.Order(StringComparer.Ordinal))
        {
            if (server.Sets.Find(name) is not { } held)
                continue;
            using (held)
                yield return (held.Set.Settings, held.Set.Collection.Status);
        }
    }

    private static string LabelsOf(string set, long shard) => shard == 0
        ? $"{{set=\"{Escape(set)}\"}}"
        : string.Create(CultureInfo.InvariantCulture, $"{{set=\"{Escape(set)}\",shard=\"{shard}\"}}");

    private static string Escape(string name) => name
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("\"", "\\\"", StringComparison.Ordinal)
        .Replace("\n", "\\n", StringComparison.Ordinal);
}
