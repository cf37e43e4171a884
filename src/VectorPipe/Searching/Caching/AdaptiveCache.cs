using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Caching;

/// <summary>Pages read lately, above all those used again since: S3-FIFO (Yang et al., SOSP 2023) in sets of up to sixteen.</summary>
/// <remarks>
/// <para>A new page is on probation, in an eighth of its set. If it is used again there, it moves on to the rest, where it stays a round
/// for each use; if not, it goes first, and its number is remembered, so that it skips probation if it comes back. So a scan passes
/// through the probation places alone.</para>
/// <para>A hit is a copy, so no query holds a page that is replaced, and the memory stays within the budget. Counts of users would have
/// all processors write to the same few lines; epochs would let one slow query keep everything that was evicted meanwhile.</para>
/// <para>Thread-safe. A hit takes no lock: each place has a version that is odd while its bytes are replaced, and a reader whose version
/// changed while it copied has a miss. An offer that finds the set's lock taken is dropped, so a run thread never waits here.</para>
/// </remarks>
internal sealed unsafe class AdaptiveCache : IPageCache
{
    /// <summary>Bytes beside each page: number, version, age, uses, and the number of a page that was evicted.</summary>
    public const int OverheadBytes = 32;

    private const int MaxWays = 16;
    private const byte MaxUses = 3;
    private const uint Empty = uint.MaxValue;

    private readonly int _pageSize;
    private readonly int _ways;
    private readonly int _sets;
    private readonly int _probation;
    private readonly NativeBuffer _memory;
    private readonly byte* _first;
    private readonly uint[] _numbers;
    private readonly uint[] _versions;
    private readonly byte[] _uses;
    private readonly LookupCounters _counters = new();

    // Under the lock of the set.
    private readonly int[] _locks;
    private readonly uint[] _clocks;
    private readonly uint[] _ages;
    private readonly bool[] _isProven;
    private readonly uint[] _evicted;
    private readonly int[] _evictedNext;

    private long _count;
    private long _evictions;

    /// <param name="capacity">Pages; 1 or more.</param>
    /// <param name="pageSize">Bytes of a page.</param>
    public AdaptiveCache(int capacity, int pageSize)
    {
        _pageSize = pageSize;
        _ways = Math.Min(capacity, MaxWays);
        _sets = capacity / _ways;
        _probation = Math.Max(1, _ways / 8);
        int places = _sets * _ways;
        _memory = new NativeBuffer((nuint)places * (nuint)pageSize);
        _first = _memory.Pointer;
        _numbers = new uint[places];
        _versions = new uint[places];
        _uses = new byte[places];
        _ages = new uint[places];
        _isProven = new bool[places];
        _evicted = new uint[places];
        _locks = new int[_sets];
        _clocks = new uint[_sets];
        _evictedNext = new int[_sets];
        _numbers.AsSpan().Fill(Empty);
        _evicted.AsSpan().Fill(Empty);
    }

    public CacheStatistics Statistics => new()
    {
        Pages = Interlocked.Read(ref _count),
        Bytes = (long)_memory.Length + ((long)_numbers.Length * OverheadBytes),
        Hits = _counters.Hits,
        Misses = _counters.Misses,
        Evictions = Interlocked.Read(ref _evictions),
    };

    public bool GivesCopies => true;

    public byte* Find(uint page, byte* room)
    {
        int first = SetOf(page) * _ways;
        int way = _numbers.AsSpan(first, _ways).IndexOf(page);
        if (way >= 0 && TryCopy(first + way, page, room))
        {
            // Write only changes, so that the counts of popular pages stay shared between processors.
            ref byte uses = ref _uses[first + way];
            if (uses < MaxUses)
                uses++;
            _counters.Hit();
            return room;
        }

        _counters.Miss();
        return null;
    }

    public void Offer(uint page, byte* bytes)
    {
        int set = SetOf(page);
        if (Interlocked.CompareExchange(ref _locks[set], 1, 0) != 0)
            return;
        int first = set * _ways;
        if (!_numbers.AsSpan(first, _ways).Contains(page))
        {
            int way = _numbers.AsSpan(first, _ways).IndexOf(Empty);
            if (way >= 0)
                Interlocked.Increment(ref _count);
            else
                way = Evict(set);
            Put(set, first + way, page, bytes);
        }

        AssertInvariants(set);
        Volatile.Write(ref _locks[set], 0);
    }

    public void Forget(uint page)
    {
        int set = SetOf(page);
        var wait = default(SpinWait);
        while (Interlocked.CompareExchange(ref _locks[set], 1, 0) != 0)
            wait.SpinOnce();
        int place = (set * _ways) + _numbers.AsSpan(set * _ways, _ways).IndexOf(page);
        if (place >= set * _ways)
        {
            uint version = _versions[place];
            Volatile.Write(ref _versions[place], version + 1);
            Volatile.Write(ref _numbers[place], Empty);
            Volatile.Write(ref _versions[place], version + 2);
            Interlocked.Decrement(ref _count);
        }

        AssertInvariants(set);
        Volatile.Write(ref _locks[set], 0);
    }

    public void Dispose() => _memory.Dispose();

    private int SetOf(uint page) => (int)((page * 0x9E37_79B1u * (ulong)_sets) >> 32);

    private byte* BytesOf(int place) => _first + (nint)place * _pageSize;

    // The reader's half of a sequence lock: the bytes between two equal, even versions are those of one page.
    private bool TryCopy(int place, uint page, byte* room)
    {
        uint version = Volatile.Read(ref _versions[place]);
        if ((version & 1) != 0 || Volatile.Read(ref _numbers[place]) != page)
            return false;
        Unsafe.CopyBlock(room, BytesOf(place), (uint)_pageSize);

        // The copy's loads come before the second look.
        Volatile.ReadBarrier();
        return Volatile.Read(ref _versions[place]) == version;
    }

    // The writer's half, under the lock of the set.
    private void Put(int set, int place, uint page, byte* bytes)
    {
        uint version = _versions[place];
        Volatile.Write(ref _versions[place], version + 1);

        // No reader may see new bytes under the old, even version.
        Volatile.WriteBarrier();
        Volatile.Write(ref _numbers[place], page);
        Unsafe.CopyBlock(BytesOf(place), bytes, (uint)_pageSize);
        _uses[place] = 0;
        _ages[place] = _clocks[set]++;
        _isProven[place] = _evicted.AsSpan(set * _ways, _ways).Contains(page);
        Volatile.Write(ref _versions[place], version + 2);
    }

    // It ends: each step takes a use or moves a page on, and none moves back. A use that a reader adds meanwhile is one step more.
    private int Evict(int set)
    {
        int first = set * _ways;
        while (true)
        {
            int proven = _isProven.AsSpan(first, _ways).Count(true);
            bool fromProbation = _ways - proven >= _probation && proven < _ways;
            int way = Oldest(first, isProven: !fromProbation);
            int place = first + way;
            if (_uses[place] == 0)
            {
                if (fromProbation)
                    Remember(set, _numbers[place]);
                Interlocked.Increment(ref _evictions);
                return way;
            }

            _uses[place] = fromProbation ? (byte)0 : (byte)(_uses[place] - 1);
            _isProven[place] = true;
            _ages[place] = _clocks[set]++;
        }
    }

    private int Oldest(int first, bool isProven)
    {
        int oldest = -1;
        for (int way = 0; way < _ways; way++)
        {
            // Ages wrap around: their difference does not.
            if (_isProven[first + way] == isProven && (oldest < 0 || (int)(_ages[first + way] - _ages[first + oldest]) < 0))
                oldest = way;
        }

        return oldest;
    }

    private void Remember(int set, uint page)
    {
        _evicted[(set * _ways) + _evictedNext[set]] = page;
        _evictedNext[set] = (_evictedNext[set] + 1) % _ways;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants(int set)
    {
        Span<uint> numbers = _numbers.AsSpan(set * _ways, _ways);
        for (int way = 0; way < _ways; way++)
        {
            Debug.Assert((_versions[(set * _ways) + way] & 1) == 0, "nobody but the holder of the lock replaces bytes");
            Debug.Assert(numbers[way] == Empty || !numbers[..way].Contains(numbers[way]), "a page lies in one place");
            Debug.Assert(numbers[way] == Empty || SetOf(numbers[way]) == set, "a page lies in its own set");
        }
    }
}
