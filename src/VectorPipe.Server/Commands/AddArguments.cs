using System.Diagnostics.CodeAnalysis;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>The arguments of VADD.</summary>
internal sealed record AddArguments(
    string Name, VectorArguments Vector, string Element, QuantizationKind Quantization, int Links, DistanceMetric? Metric)
{
    private const int MostEffort = 1_000_000;
    private const int MostAttributeBytes = 64 << 10;
    private const string NoVector = "invalid vector specification";

    /// <summary>The attributes to set; null to leave those that are there.</summary>
    public ReadOnlyMemory<byte>? Attributes { get; init; }

    public static AddArguments Read(Call call)
    {
        VectorArguments vector = VectorArguments.Read(call, 2, mayReduce: true);
        if (vector.End >= call.Count)
            throw CommandException.WrongCount("vadd");
        var quantization = QuantizationKind.Int8;
        long links = SetSettings.DefaultLinks;
        DistanceMetric? metric = null;
        ReadOnlyMemory<byte>? attributes = null;
        for (int at = vector.End + 1; at < call.Count; at++)
        {
            bool hasValue = at + 1 < call.Count;
            if (call.Command.Is(at, "CAS"))
                continue;
            if (call.Command.Is(at, "NOQUANT"))
                quantization = QuantizationKind.None;
            else if (call.Command.Is(at, "Q8"))
                quantization = QuantizationKind.Int8;
            else if (call.Command.Is(at, "BIN"))
                quantization = QuantizationKind.Binary;
            else if (hasValue && call.Command.Is(at, "SETATTR"))
                attributes = ReadAttributes(call, ++at);
            else if (hasValue && call.Command.Is(at, "XDISTANCE_METRIC"))
                metric = ReadMetric(call, ++at);
            else if (hasValue && call.Command.Is(at, "EF"))
                _ = ReadInteger(call, ++at, 1, MostEffort, "EF");
            else if (hasValue && call.Command.Is(at, "M"))
                links = ReadInteger(call, ++at, SetSettings.LeastLinks, SetSettings.MostLinks, "M");
            else
                throw new CommandException("ERR invalid option after element");
        }

        if (vector.Values.AsSpan().ContainsAnyExceptInRange(float.MinValue, float.MaxValue))
            Throw(NoVector);
        return new AddArguments(call.SetName(1), vector, call.Element(vector.End), quantization, (int)links, metric)
        {
            Attributes = attributes,
        };
    }

    /// <summary>The settings of a set that begins with this.</summary>
    /// <exception cref="CommandException">The set would not keep the vector.</exception>
    public SetSettings SettingsOf(long uid)
    {
        // A set that is there has a metric of its own, and refuses by that.
        DistanceMetric metric = Metric ?? DistanceMetric.Cosine;
        if (metric == DistanceMetric.Cosine && !Vector.Values.AsSpan().ContainsAnyExcept(0f))
            Throw(NoVector);
        return new SetSettings(
            Name,
            uid,
            Vector.Reduced == 0 ? Vector.Values.Length : Vector.Reduced,
            Vector.Reduced == 0 ? 0 : Vector.Values.Length,
            metric,
            Quantization,
            Links);
    }

    /// <summary>The vector as a set stores it.</summary>
    /// <exception cref="CommandException">The set was made for others.</exception>
    public ReadOnlyMemory<float> VectorFor(SetSettings settings)
    {
        int length = Vector.Values.Length;
        if (settings.Quantization != Quantization)
            Throw("asked quantization mismatch with existing vector set");
        if (settings.Links != Links)
            Throw("asked M value mismatch with existing vector set");
        if (Metric is not null && settings.Metric != Metric)
            Throw("asked distance metric mismatch with existing vector set");
        if (Vector.Reduced != 0 && settings.InputDimension == 0)
            Throw("cannot add projection to existing set without projection");
        if (settings.InputDimension != 0 && Vector.Reduced != 0 && Vector.Reduced != settings.Dimension)
            Throw("projection dimension mismatch with existing set");
        if (settings.InputDimension == 0 ? length != settings.Dimension : Vector.Reduced != settings.Dimension)
            Throw($"Vector dimension mismatch - got {length} but set has {settings.Dimension}");
        if (length != settings.ExpectedDimension)
            Throw($"Input dimension mismatch for projection - got {length} but projection expects {settings.InputDimension}");
        return settings.InputDimension == 0 ? Vector.Values : Projection.Apply(Vector.Values, settings.Dimension);
    }

    /// <summary>The attributes of an element, JSON.</summary>
    /// <exception cref="CommandException">They are too long.</exception>
    public static ReadOnlyMemory<byte> ReadAttributes(Call call, int index)
    {
        ReadOnlyMemory<byte> attributes = call.Command.Memory(index);
        return attributes.Length <= MostAttributeBytes
            ? attributes
            : throw new CommandException($"ERR attributes: expected at most {MostAttributeBytes} bytes, found {attributes.Length}");
    }

    [DoesNotReturn]
    private static void Throw(string message) => throw new CommandException("ERR " + message);

    private static long ReadInteger(Call call, int index, long least, long most, string name) =>
        call.TryInteger(index, out long value) && value >= least && value <= most
            ? value
            : throw new CommandException($"ERR invalid {name}");

    private static DistanceMetric ReadMetric(Call call, int index) =>
        call.Command.Is(index, "COSINE") ? DistanceMetric.Cosine
        : call.Command.Is(index, "L2") ? DistanceMetric.L2
        : call.Command.Is(index, "IP") ? DistanceMetric.InnerProduct
        : throw new CommandException("ERR invalid XDISTANCE_METRIC");
}
