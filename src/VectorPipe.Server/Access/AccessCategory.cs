namespace VectorPipe.Server.Access;

/// <summary>What commands are about; rules allow and forbid whole categories. The names are those of Redis, and vector.</summary>
[Flags]
internal enum AccessCategory
{
    None = 0,
    Keyspace = 1,
    Read = 1 << 1,
    Write = 1 << 2,
    Vector = 1 << 3,
    String = 1 << 4,
    PubSub = 1 << 5,
    Admin = 1 << 6,
    Fast = 1 << 7,
    Slow = 1 << 8,
    Dangerous = 1 << 9,
    Connection = 1 << 10,
}
