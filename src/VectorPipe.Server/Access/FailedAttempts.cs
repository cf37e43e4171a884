using System.Net;

namespace VectorPipe.Server.Access;

/// <summary>Slows down those who try passwords: a few wrong ones a second and address. Thread-safe.</summary>
internal sealed class FailedAttempts(TimeProvider clock)
{
    public const int MostASecond = 5;

    // Above it, all addresses count together, so that many of them neither fill the memory nor get more attempts.
    private const int MostAddresses = 1000;

    private static readonly TimeSpan _window = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _clock = clock;
    private readonly Dictionary<IPAddress, int> _failed = [];
    private readonly Lock _lock = new();
    private long _start = clock.GetTimestamp();

    /// <summary>Whether an address has used up its attempts of this second.</summary>
    public bool AreUsedUp(EndPoint? client)
    {
        lock (_lock)
            return FailedOf(AddressOf(client)) >= MostASecond;
    }

    public void Add(EndPoint? client)
    {
        lock (_lock)
        {
            IPAddress address = AddressOf(client);
            _failed[address] = FailedOf(address) + 1;
        }
    }

    private int FailedOf(IPAddress address)
    {
        if (_clock.GetElapsedTime(_start) >= _window)
        {
            _failed.Clear();
            _start = _clock.GetTimestamp();
        }

        return _failed.GetValueOrDefault(address);
    }

    private IPAddress AddressOf(EndPoint? client)
    {
        IPAddress address = (client as IPEndPoint)?.Address ?? IPAddress.None;
        return _failed.Count < MostAddresses || _failed.ContainsKey(address) ? address : IPAddress.None;
    }
}
