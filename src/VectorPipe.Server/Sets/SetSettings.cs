using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace VectorPipe.Server.Sets;

/// <summary>What is fixed about a vector set by the command that makes it.</summary>
/// <param name="Name">Its name: a byte a character.</param>
/// <param name="Uid">Its number, which no other set of the server has.</param>
/// <param name="Dimension">Components of the vectors that are stored.</param>
/// <param name="InputDimension">Components of the vectors that come, if they are projected; else 0.</param>
/// <param name="Metric">How near vectors are.</param>
/// <param name="Quantization">What was asked for.</param>
/// <param name="Links">The M that was asked for: half of the most links of an element.</param>
/// <param name="Shard">The shard of a cluster that it is a replica of; 0 for none.</param>
internal sealed record SetSettings(
    string Name, long Uid, int Dimension, int InputDimension, DistanceMetric Metric, QuantizationKind Quantization, int Links,
    long Shard = 0)
{
    public const int DefaultLinks = 16;
    public const int LeastLinks = 4;
    public const int MostLinks = 4096;
    public const int MostDimension = 65_536;

    /// <summary>The name among the sets of this server, where a set of a cluster may have several shards.</summary>
    [JsonIgnore]
    public string LocalName => Shard == 0 ? Name : LocalNameOf(Name, Shard);

    /// <summary>Components of the vectors that come.</summary>
    [JsonIgnore]
    public int ExpectedDimension => InputDimension == 0 ? Dimension : InputDimension;

    /// <summary>The name of a replica of a shard among the sets of a node.</summary>
    public static string LocalNameOf(string name, long shard) => string.Create(CultureInfo.InvariantCulture, $"{name}#{shard}");

    public byte[] ToJson() => JsonSerializer.SerializeToUtf8Bytes(this, SettingsJson.Default.SetSettings);

    /// <summary>Reads what <see cref="ToJson"/> wrote.</summary>
    /// <exception cref="JsonException">It is something else.</exception>
    public static SetSettings FromJson(ReadOnlySpan<byte> json)
    {
        SetSettings? settings = JsonSerializer.Deserialize(json, SettingsJson.Default.SetSettings);
        return settings is { Name: not null, Uid: > 0, Dimension: > 0 and <= MostDimension, InputDimension: >= 0 }
            ? settings
            : throw new JsonException("Expected name, uid, dimension and inputDimension of a vector set, found others.");
    }
}
