using CommandLine;
using VectorPipe.Cluster.Links;
using VectorPipe.Server.Access;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server;

/// <summary>Options of the server.</summary>
internal sealed class ServerOptions
{
    public const int DefaultPort = 6379;

    [Option("port", Default = DefaultPort, HelpText = "TCP port, 1 to 65535; 0 takes a free one.")]
    public int Port { get; set; } = DefaultPort;

    [Option(
        "bind",
        Default = "127.0.0.1",
        HelpText = "Address to listen on. Others than those of this machine need --requirepass or --aclfile.")]
    public string Bind { get; set; } = "127.0.0.1";

    [Option("dir", Default = "vectorpipe-data", HelpText = "Folder of the vector sets; made if it is missing.")]
    public string Directory { get; set; } = "vectorpipe-data";

    [Option("requirepass", HelpText = "Password that clients must give (AUTH); better set in the environment: VECTORPIPE_REQUIREPASS.")]
    public string? Password { get; set; }

    [Option("aclfile", HelpText = "File of users and what they may do, as Redis has it; ACL SAVE writes it.")]
    public string? AccessFile { get; set; }

    [Option("tls-cert-file", HelpText = "Certificate, PEM, with those between it and its root. The port then takes TLS only.")]
    public string? CertificateFile { get; set; }

    [Option("tls-key-file", HelpText = "Key of the certificate, PEM. Default: the file of the certificate.")]
    public string? KeyFile { get; set; }

    [Option(
        "http-port",
        Default = -1,
        HelpText = "TCP port of the dashboard, /healthz, /readyz and /metrics, 0 (a free one) to 65535; -1 for none.")]
    public int HttpPort { get; set; } = -1;

    [Option("maxclients", Default = 10_000, HelpText = "Most connections, 1 to 1000000.")]
    public int MaxClients { get; set; } = 10_000;

    [Option("timeout", Default = 0, HelpText = "Seconds after which a silent client is closed, to 31536000; 0 for never.")]
    public int TimeoutSeconds { get; set; }

    [Option("login-timeout", Default = 10, HelpText = "Seconds that a client has for TLS and for its password, 1 to 3600.")]
    public int LoginSeconds { get; set; } = 10;

    [Option("output-timeout", Default = 30, HelpText = "Seconds after which a client is closed that takes no replies, 1 to 3600.")]
    public int OutputSeconds { get; set; } = 30;

    [Option("client-pipeline", Default = 64, HelpText = "Most commands of a client that are on their way at once, 1 to 1024.")]
    public int ClientPipeline { get; set; } = 64;

    [Option(
        "client-output-buffer-limit",
        Default = 1 << 20,
        HelpText = "Bytes of replies that wait for a client before no more is read from it, 1024 to 268435456.")]
    public int OutputBufferBytes { get; set; } = 1 << 20;

    [Option("proto-max-bulk-len", Default = 16 << 20, HelpText = "Most bytes of an argument, 65536 to 268435456.")]
    public int BulkBytes { get; set; } = 16 << 20;

    [Option("proto-max-multibulk-len", Default = 131_100, HelpText = "Most arguments of a command, 1024 to 1048576.")]
    public int Arguments { get; set; } = 131_100;

    [Option(
        "client-query-buffer-limit",
        Default = 64 << 20,
        HelpText = "Most bytes of a command, and of those of a client that are on their way; to 268435456.")]
    public int CommandBytes { get; set; } = 64 << 20;

    [Option("maxsets", Default = 1000, HelpText = "Most vector sets, 1 to 1000000. Each holds open files and a few hundred KiB.")]
    public int MaxSets { get; set; } = 1000;

    [Option("target-recall", Default = 0.95f, HelpText = "Recall at which searches without EF or XRECALL aim, 0.5 to 0.9999.")]
    public float TargetRecall { get; set; } = SearchOptions.DefaultTargetRecall;

    [Option("threads", HelpText = "Threads that search. Default: one for each processor.")]
    public int? Threads { get; set; }

    [Option("max-queued-queries", Default = 4096, HelpText = "Most searches that wait; further ones are refused with BUSY.")]
    public int MaxQueuedQueries { get; set; } = 4096;

    [Option("maxmemory-mb", HelpText = "Most MiB of memory of the sets and their caches. Default: no bound.")]
    public long? MemoryMiB { get; set; }

    [Option(
        "cache-mb",
        Default = 0L,
        HelpText = "Most MiB of pages of each set in memory. As many as a set has make searches read nothing.")]
    public long CacheMiB { get; set; }

    [Option(
        "appendfsync",
        Default = "always",
        HelpText = "When a write is acknowledged: always (on disk; concurrent writes share a sync) or no (SAVE brings all to disk).")]
    public string AppendFsync { get; set; } = "always";

    [Option(
        "cluster",
        HelpText = "PostgreSQL database of a cluster that this server is a node of (a connection string of Npgsql); better set in the "
            + "environment: VECTORPIPE_CLUSTER.")]
    public string? Cluster { get; set; }

    [Option("node-name", HelpText = "Name of this node in its cluster. Default: name of the machine and port.")]
    public string? NodeName { get; set; }

    [Option(
        "announce",
        HelpText = "Host, host:port or [IPv6 address]:port where the other nodes reach this one. Default: the address that it listens on.")]
    public string? Announce { get; set; }

    [Option("replicas", Default = 2, HelpText = "Nodes that hold each shard of a set that is made through this one, 1 to 16.")]
    public int Replicas { get; set; } = 2;

    [Option("shards", Default = 1, HelpText = "Parts of a set that is made through this one, 1 to 64.")]
    public int Shards { get; set; } = 1;

    [Option(
        "replace-after",
        Default = 300,
        HelpText = "Seconds that a node of a cluster is away before others make replicas in the place of its own, 1 to 86400.")]
    public int ReplaceAfterSeconds { get; set; } = 300;

    /// <summary>Most bytes of a reply: what a client may make the server hold for it.</summary>
    internal int ReplyBytes { get; set; } = RespWriter.MostBytes;

    /// <summary>What a client may send that has given its password.</summary>
    public RespLimits ToLimits() => new(Arguments, BulkBytes, CommandBytes, RespLimits.MostInlineBytes);

    /// <summary>Checks that nobody comes in from other machines without a password.</summary>
    /// <exception cref="AccessFileException">The file of users lets everybody in.</exception>
    public void CheckReach(AccessList access)
    {
        if (access.Anonymous is not null && !System.Net.IPAddress.IsLoopback(System.Net.IPAddress.Parse(Bind)))
        {
            throw new AccessFileException(
                $"{AccessFile}: expected a user {AccessUser.Default} that is off or has a password, as {Bind} can be reached from other "
                + "machines, found nopass");
        }
    }

    /// <summary>Checks all.</summary>
    /// <returns>What is wrong, or null.</returns>
    public string? FindError()
    {
        if (Port is < 0 or > 65_535)
            return $"--port: expected 0 to 65535, found {Port}";
        if (HttpPort is < -1 or > 65_535)
            return $"--http-port: expected -1 to 65535, found {HttpPort}";
        if (CertificateFile is null && KeyFile is not null)
            return "--tls-key-file: expected --tls-cert-file, too, found none";
        if (!System.Net.IPAddress.TryParse(Bind, out System.Net.IPAddress? address))
            return $"--bind: expected an IP address, found '{Bind}'";
        if (!System.Net.IPAddress.IsLoopback(address) && string.IsNullOrEmpty(Password) && AccessFile is null)
            return $"--bind: expected --requirepass or --aclfile, as {Bind} can be reached from other machines, found none";
        if (MaxClients is < 1 or > 1_000_000)
            return $"--maxclients: expected 1 to 1000000, found {MaxClients}";
        if (TimeoutSeconds is < 0 or > 31_536_000)
            return $"--timeout: expected 0 to 31536000, found {TimeoutSeconds}";
        if (FindLimitError() is { } limit)
            return limit;
        if (TargetRecall is not (>= 0.5f and <= 0.9999f))
            return $"--target-recall: expected 0.5 to 0.9999, found {TargetRecall}";
        if (Threads is < 1 or > 1024)
            return $"--threads: expected 1 to 1024, found {Threads}";
        if (MaxQueuedQueries is < 1 or > 1_000_000)
            return $"--max-queued-queries: expected 1 to 1000000, found {MaxQueuedQueries}";
        if (MaxSets is < 1 or > 1_000_000)
            return $"--maxsets: expected 1 to 1000000, found {MaxSets}";
        if (MemoryMiB is < 1)
            return $"--maxmemory-mb: expected 1 or more, found {MemoryMiB}";
        if (CacheMiB is < 0 or > 1L << 30)
            return $"--cache-mb: expected 0 to {1L << 30}, found {CacheMiB}";
        if (Replicas is < 1 or > 16)
            return $"--replicas: expected 1 to 16, found {Replicas}";
        if (Shards is < 1 or > 64)
            return $"--shards: expected 1 to 64, found {Shards}";
        if (ReplaceAfterSeconds is < 1 or > 86_400)
            return $"--replace-after: expected 1 to 86400, found {ReplaceAfterSeconds}";
        if (Announce is not null && NodeAddress.Find(Announce, DefaultPort) is null)
            return $"--announce: expected {NodeAddress.Forms}, found '{Announce}'";
        if (Cluster is null && (NodeName ?? Announce) is not null)
            return "--node-name and --announce: expected --cluster, too, found none";
        if (Cluster is not null && CertificateFile is not null)
            return "--cluster: expected no --tls-cert-file, as nodes call each other without TLS, found one";
        return AppendFsync is "always" or "no" ? null : $"--appendfsync: expected always or no, found '{AppendFsync}'";
    }

    private string? FindLimitError()
    {
        if (LoginSeconds is < 1 or > 3600)
            return $"--login-timeout: expected 1 to 3600, found {LoginSeconds}";
        if (OutputSeconds is < 1 or > 3600)
            return $"--output-timeout: expected 1 to 3600, found {OutputSeconds}";
        if (ClientPipeline is < 1 or > 1024)
            return $"--client-pipeline: expected 1 to 1024, found {ClientPipeline}";
        if (OutputBufferBytes is < 1024 or > RespLimits.MostBytes)
            return $"--client-output-buffer-limit: expected 1024 to {RespLimits.MostBytes}, found {OutputBufferBytes}";
        if (BulkBytes is < 65_536 or > RespLimits.MostBytes)
            return $"--proto-max-bulk-len: expected 65536 to {RespLimits.MostBytes}, found {BulkBytes}";
        if (Arguments is < 1024 or > RespLimits.MostArguments)
            return $"--proto-max-multibulk-len: expected 1024 to {RespLimits.MostArguments}, found {Arguments}";
        return CommandBytes < BulkBytes || CommandBytes > RespLimits.MostBytes
            ? $"--client-query-buffer-limit: expected --proto-max-bulk-len, {BulkBytes}, to {RespLimits.MostBytes}, found {CommandBytes}"
            : null;
    }
}
