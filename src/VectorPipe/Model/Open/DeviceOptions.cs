using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Model.Open;

/// <summary>The device that reads the files of an index. Immutable.</summary>
/// <remarks>Null leaves a choice to the device. An option that the device does not have is refused when the index is opened.</remarks>
internal sealed record DeviceOptions
{
    /// <summary>The defaults.</summary>
    public static DeviceOptions Default { get; } = new();

    /// <summary>Which device. Default: io_uring where it works, else the portable device; the choice is logged with its reason.</summary>
    public DeviceKind Kind { get; init; } = DeviceKind.Auto;

    /// <summary>Most reads of a thread in the device, 1 to 32,768; further ones wait. Default: as many as its queries can issue.</summary>
    public int? QueueDepth { get; init; }

    /// <summary>Settings for benchmarks and tests.</summary>
    internal DeviceTuning? Tuning { get; init; }

    /// <summary>The settings for benchmarks and tests, or their defaults.</summary>
    internal DeviceTuning Tuned => Tuning ?? DeviceTuning.None;

    /// <summary>The options, checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, or the device has no such option.</exception>
    internal DeviceOptions Validated()
    {
        Require.That(Enum.IsDefined(Kind), nameof(Kind), Kind, "a known device kind");
        Require.That(QueueDepth is null or (>= 1 and <= DeviceQueueOptions.MaxCapacity), nameof(QueueDepth), QueueDepth, "1 to 32,768");
        Tuned.Validate(Kind);
        return this;
    }
}
